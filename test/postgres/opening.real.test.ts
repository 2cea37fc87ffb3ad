/** What an administrator gets wrong about the database is told with what to do, at once, and leaves no connection behind. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openMember, type StorePlace } from '../../bin/up/store-place.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../store/bus.ts';
import { joinPortals } from '../../store/portals.ts';
import { openPostgresStore } from '../../store/postgres.ts';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import { freePort, until } from '../support/portal.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let server: TestPostgres;
let place: PostgresPlace;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startPostgres();
  place = await server.database();
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
afterAll(async () => await server?.remove());

const lines = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

async function refused(of: PostgresPlace): Promise<string> {
  const before = lines();
  const opened = openPostgresStore(of, { clock: systemClock, holder: null, migrates: true });
  const { code, message } = await opened.then(
    async (store) => {
      await store.close();
      return { code: 'opened', message: '' };
    },
    (error: { code: string; message: string }) => error,
  );
  expect(code).toBe('STORE_FAILED');
  await until('the lines to end', () => lines() <= before, 3_000);
  return message;
}

test('a password that is missing, or another one', async () => {
  const { password: _, ...without } = place;
  expect(await refused(without)).toContain('Portal.spec.storePassword names where it is');
  expect(await refused({ ...place, password: 'another' })).toContain('storePassword names another password');
});

test('a database that is not there', async () => {
  expect(await refused({ ...place, database: 'nowhere' })).toContain('createdb -O USER DATABASE');
});

test('of several servers each says why it is of no use', async () => {
  const nobody = await freePort();
  const message = await refused({
    ...place,
    port: nobody,
    others: [{ host: '127.0.0.1', port: place.port!, ssl: false }],
    password: 'another',
  });
  expect(message).toContain(`127.0.0.1:${nobody}: connect ECONNREFUSED`);
  expect(message).toContain(`127.0.0.1:${place.port}: password authentication failed`);
});

test('a portal with another key than those that run is refused; when none runs the key is a new one', async () => {
  Object.assign(process.env, { OF_STORE: place.password, KEY_ONE: 'a'.repeat(32), KEY_TWO: 'b'.repeat(32) });
  const join = (name: string) => {
    const { user, port, database } = place;
    const said: StorePlace = {
      store: `postgres://${user}@127.0.0.1:${port}/${database}`,
      storePassword: { env: 'OF_STORE' },
      portalKey: { env: name },
    };
    return openMember(said, { stateDir: server.folder, clock: systemClock, local: createBus() });
  };
  const opened = async (name: string) => {
    const one = await join(name);
    ends.push(async () => {
      await one.shared.stop();
      await one.member.close();
    });
    return one;
  };
  const { member } = await opened('KEY_ONE');
  const row = await joinPortals(member.pools.pool, {
    clock: systemClock,
    holder: 'casa1',
    address: '127.0.0.1:1',
    version: '1',
    onLapsed: () => undefined,
  });
  await opened('KEY_ONE');
  await expect(join('KEY_TWO')).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('casa1') as string });
  await (await opened('KEY_ONE')).confirmKey();
  await row.leave();
  // Two that begin at once see no row of each other yet: no more than one of them stays.
  const both = [await opened('KEY_TWO'), await opened('KEY_ONE')];
  const confirmed = await Promise.allSettled(both.map((one) => one.confirmKey()));
  expect(confirmed).toMatchObject([{ status: 'rejected', reason: { code: 'BAD_REQUEST' } }, { status: 'fulfilled' }]);
});
