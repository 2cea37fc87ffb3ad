/** Watches who leads and whose the rooms are, all the time in the database itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { until } from '../../support/portal.ts';
import type { FaultsWorld } from './world.ts';

export interface Watch {
  /** Pid of the portal that leads, and the number of its lease. */
  leader(): { readonly pid: number; readonly number: number };
  /** All that were seen: each is the time when its portal began to lead. */
  numbers(): readonly number[];
  /** Rooms of that portal. */
  roomsOf(pid: number): readonly string[];
  stop(): Promise<void>;
}

interface Row {
  readonly sala: string | null;
  readonly holder: string;
  readonly number: number;
}

const question = `SELECT NULL AS sala, holder, number::float8 FROM leases WHERE name = 'leader'
  UNION ALL SELECT o.sala, p.holder, 0 FROM room_owners o JOIN portals p ON p.id = o.portal`;

const pidOf = (holder: string): number => Number(/process (\d+)$/.exec(holder)?.[1]);

export async function watchOwners({ place }: FaultsWorld): Promise<Watch> {
  const { name: _, ...connection } = place;
  const stop = new AbortController();
  const numbers = new Set<number>();
  let rows: readonly Row[] = [];
  const look = async (): Promise<void> => {
    const client = new Client(connection);
    client.on('error', () => undefined);
    try {
      await client.connect();
      while (!stop.signal.aborted) {
        ({ rows } = await client.query<Row>(question));
        for (const { sala, number } of rows) if (sala === null) numbers.add(number);
        await sleep(50);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const looking = (async () => {
    // The database is started anew now and then.
    while (!stop.signal.aborted) await look().catch(async () => await sleep(50));
  })();
  await until('the lease to be seen', () => numbers.size > 0);
  return {
    leader: () => {
      const row = rows.find(({ sala }) => sala === null)!;
      return { pid: pidOf(row.holder), number: row.number };
    },
    numbers: () => [...numbers],
    roomsOf: (pid) => rows.flatMap(({ sala, holder }) => (sala !== null && pidOf(holder) === pid ? [sala] : [])),
    stop: async () => {
      stop.abort();
      await looking;
    },
  };
}
