/**
 * Several portals of one PostgreSQL (`svc up --join`, as it ships) against one portal, and against Hocuspocus alone and three of it with its Redis extension.
 * Rooms: 500 of two clients, two thirds of whom come in at a portal that does not have the room; one room of 50 whose owner is where they are, elsewhere, or
 * one of three. All servers run at once and take turns of a second. A start and a resync with 10,000 people and ten apps, PostgreSQL against SQLite.
 * `node bench/portals.ts [--short] [--only=idle,rooms,fanout,start] [--profile=FILE.svg]`: graphs of the portal that has the room and of the one that carries.
 */
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts';
import { chosenOf } from './options.ts';
import { idleRows } from './portals/idle.ts';
import { roomRows } from './portals/rooms.ts';
import { startRows } from './portals/start.ts';
import { pinStore } from './peers/portals-servers.ts';
import type { Area, Row } from './rows.ts';
import { sayStep } from './steps.ts';

export interface PartOptions {
  readonly database: TestPostgres;
  readonly short: boolean;
}

const parts: Readonly<Record<string, (options: PartOptions) => Promise<readonly Row[]>>> = {
  idle: idleRows,
  rooms: (options) => roomRows('rooms', options),
  fanout: (options) => roomRows('fanout', options),
  start: startRows,
};

export const portalsArea: Area = async ({ short }) => {
  const chosen = chosenOf(Object.keys(parts));
  const database = await startPostgres({ fsync: true });
  try {
    pinStore(database.pid());
    const rows: Row[] = [];
    for (const name of chosen) {
      sayStep(`portals ${name}`);
      rows.push(...(await parts[name]!({ database, short })));
    }
    return rows;
  } finally {
    await database.remove();
  }
};
