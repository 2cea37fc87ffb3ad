/** Checks that PostgreSQL behaves as the simulator of several portals assumes. */
import { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { openPostgresStore } from '../../store/postgres.ts';
import { connected, type PostgresPlace } from '../../store/postgres-hosts.ts';
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
  await pool.query('TRUNCATE leases, last_writes, portals, room_owners, room_bases, room_tails, deleted_rooms');
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
