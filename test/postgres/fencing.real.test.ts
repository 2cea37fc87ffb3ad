/** Checks that PostgreSQL behaves as the simulator of several portals assumes. */
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { openPostgresStore } from '../../store/postgres.ts';
import { joinPortals } from '../../store/portals.ts';
import { connected, type PostgresPlace } from '../../store/postgres-hosts.ts';
import { createRoomOwners, refuseTaken } from '../../store/room-owners.ts';
import { fencingContract } from '../simulation/portals/fencing-contract.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let server: TestPostgres;
let place: PostgresPlace;
beforeAll(async () => {
  server = await startPostgres();
  place = await server.database();
  await (await openPostgresStore(place, { clock: systemClock, holder: null, migrates: true })).close();
});
afterAll(() => server?.remove());

fencingContract(async () => {
  const { name: _, ...connection } = place;
  const pool = new Pool({ ...connection, ...connected, max: 4 });
  pool.on('error', () => undefined);
  await pool.query(
    'TRUNCATE leases, last_writes, portals, room_owners, room_bases, room_tails, room_history, room_version_names, deleted_rooms',
  );
  return {
    pool,
    still: { ...systemClock, at: () => () => undefined },
    expire: async () => {
      for (const table of ['leases', 'portals']) await pool.query(`UPDATE ${table} SET until = clock_timestamp() - interval '1 second'`);
    },
    run: (work) => work,
    remove: () => pool.end(),
  };
});

test('what is under way in a room holds up who takes it', async () => {
  const { name: _, ...connection } = place;
  const pool = new Pool({ ...connection, ...connected, max: 4 });
  const still = { ...systemClock, at: () => () => undefined };
  const join = async (holder: string) => {
    const member = await joinPortals(pool, { holder, address: `${holder}:1`, version: '1', clock: still, onLapsed: () => undefined });
    return createRoomOwners(pool, member, still);
  };
  const sala = 's000000000000000000009';
  try {
    const [one, other] = [await join('one'), await join('other')];
    await one.take(sala);
    await pool.query(`UPDATE portals SET until = clock_timestamp() - interval '1 second' WHERE id = $1`, [one.portal]);
    const writing = await pool.connect();
    await writing.query('BEGIN');
    await refuseTaken(writing, one.portal, new Map([[sala, one.heldOf(sala) ?? null]]));
    const order: string[] = [];
    const taken = other.take(sala).then(() => order.push('taken'));
    const waiting = async (): Promise<number> =>
      (await pool.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)).rowCount ?? 0;
    await expect.poll(async () => order.length + (await waiting())).toBe(1);
    order.push('committed');
    await writing.query('COMMIT');
    writing.release();
    await taken;
    expect(order).toEqual(['committed', 'taken']);
  } finally {
    await pool.end();
  }
});
