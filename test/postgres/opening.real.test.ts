/** An administrator's mistakes about the database are reported with the fix, at once, and leave no connection behind. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openWindows } from '../../api/events/windows.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { openState } from '../../bin/up/state.ts';
import type { StorePlace } from '../../bin/up/remembered-store.ts';
import { openMember } from '../../bin/up/store-place.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../store/bus.ts';
import { copyToPostgres } from '../../store/copy.ts';
import { joinPortals, livingPortals } from '../../store/portals.ts';
import { openPostgresStore } from '../../store/postgres.ts';
import { postgresMigrations, readableFrom } from '../../store/postgres-migrations.ts';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import { roomLogName } from '../../store/room-log-move.ts';
import { freePort, until } from '../support/portal.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let server: TestPostgres;
let place: PostgresPlace;
const ends: (() => Promise<void> | void)[] = [];

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
  await until('the lines to end', () => lines() <= before, 8_000);
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

test.for(['SQL_ASCII', 'LATIN1', 'WIN1252', 'EUC_JP'])('a database in %s', async (encoding) => {
  const other = await server.database(`TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`);
  expect(await refused(other)).toMatch(new RegExp(`has the encoding ${encoding}, .* createdb -T template0 -E UTF8`));
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

/** By a Portal document. */
const said = ({ user, port, database }: PostgresPlace, key: string): StorePlace => ({
  store: `postgres://${user}@127.0.0.1:${port}/${database}`,
  storePassword: { env: 'OF_STORE' },
  portalKey: { env: key },
});

test('a portal with another key than those that run is refused; when none runs the key is a new one', async () => {
  Object.assign(process.env, { OF_STORE: place.password, KEY_ONE: 'a'.repeat(32), KEY_TWO: 'b'.repeat(32) });
  const joined = (name: string) =>
    openMember(said(place, name), { stateDir: server.folder, fresh: false, clock: systemClock, local: createBus() });
  const opened = async (name: string) => {
    const one = await joined(name);
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
  await expect(joined('KEY_TWO')).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('casa1') as string });
  await (await opened('KEY_ONE')).confirmKey();
  await row.leave();
  // Two that begin at once see no row of each other yet: no more than one of them stays.
  const both = [await opened('KEY_TWO'), await opened('KEY_ONE')];
  const confirmed = await Promise.allSettled(both.map((one) => one.confirmKey()));
  expect(confirmed).toMatchObject([{ status: 'rejected', reason: { code: 'BAD_REQUEST' } }, { status: 'fulfilled' }]);
});

test('a portal whose rooms stay shut is one among the others, and closes none of their windows', async () => {
  Object.assign(process.env, { OF_STORE: place.password, KEY_ONE: 'a'.repeat(32) });
  const where = said(await server.database(), 'KEY_ONE');
  const open = async (name: string) => {
    const stateDir = join(server.folder, name);
    await mkdir(stateDir);
    const log = pino({ level: 'silent' });
    return await openState({ stateDir, fresh: false, place: where, bus: createBus(), joins: '127.0.0.1:1', clock: systemClock, log, ends });
  };
  const { store, peers } = await open('well');
  await store.rooms.createRoom({ id: 's1', app: 'notas', nome: 'Atas', dona: 'ana', createdAtMs: 0, changedAtMs: 0, declaredName: null });
  await store.putWindows(peers!.portal, { person: 'ana', app: 'notas', open: 1, zeroSinceMs: null });
  await store.putValue(roomLogName, 'of a file that lies elsewhere');
  const shut = await open('shut');
  expect(shut.roomLog.trouble).toContain('are missing');
  const living = await livingPortals(shut.member!.pools.pool, systemClock);
  expect(living.map(({ id }) => id)).toEqual([peers!.portal, shut.peers!.portal]);
  await openWindows(shut.store, shut.bus, systemClock, shut.peers!.portal);
  expect(await store.windowsOf('ana', 'notas')).toMatchObject({ open: 1 });
});

test('an empty database in place of a store that has something is refused before anything is in it, unless it is wanted', async () => {
  Object.assign(process.env, { OF_STORE: place.password, KEY_ONE: 'a'.repeat(32) });
  const stateDir = join(server.folder, 'moved');
  await mkdir(stateDir);
  const open = async (where: StorePlace, more: { readonly joins?: string; readonly fresh?: boolean } = {}): Promise<unknown> => {
    const closing: typeof ends = [];
    try {
      const log = pino({ level: 'silent' });
      const { joins = null, fresh = false } = more;
      const { store } = await openState({ stateDir, fresh, place: where, bus: createBus(), joins, clock: systemClock, log, ends: closing });
      await store.changeInForce({ put: [{ name: 'Person/ana', leaving: false, body: '{}' }], gone: [] });
      return 'opened';
    } catch (error) {
      return (error as { readonly message: string }).message;
    } finally {
      for (const end of closing.toReversed()) await end();
    }
  };
  const [where, other] = [said(await server.database(), 'KEY_ONE'), said(await server.database(), 'KEY_ONE')];
  // Nothing is lost by the first start, nor by a move from a store that has nothing.
  expect(await open({ store: 'sqlite:svc.db' })).toBe('opened');
  const refusal = expect.stringMatching(/is empty, .*svc\.db: svc store copy DIR --from .* brings it over; svc up --fresh begins/);
  expect([await open(where), await open(where, { joins: '127.0.0.1:1' })]).toEqual([refusal, refusal]);
  const copied = await copyToPostgres(
    join(stateDir, 'svc.db'),
    { ...place, database: where.store!.split('/').at(-1)! },
    { clock: systemClock, holder: 'copy', rooms: null, folders: {} },
  );
  expect(copied.find(({ table }) => table === 'in_force')).toEqual({ table: 'in_force', rows: 1 });
  expect([await open(where), await open(where)]).toEqual(['opened', 'opened']);
  // From one database to another, and back to a file, nothing is copied by svc.
  for (const empty of [other, { store: 'sqlite:neu.db' }])
    expect(await open(empty)).toMatch(/is empty, .* is in postgres:.*: name that one again; svc up --fresh begins with nothing/);
  expect([await open(other, { fresh: true }), await open(other)]).toEqual(['opened', 'opened']);
});

test('svc upgrade --plan tells what the store would become, and changes nothing: none yet, an older one, one that is too new', async () => {
  const own = await server.database();
  const ask = async (sql: string): Promise<unknown[]> => {
    const client = new Client(own);
    await client.connect();
    try {
      return (await client.query<object>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const folder = await mkdtemp(join(tmpdir(), 'svc-pl-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'password'), String(own.password), { mode: 0o600 });
  await mkdir(join(folder, 'd'));
  const portal = { store: own.name, storePassword: { file: join(folder, 'password') } };
  await writeFile(
    join(folder, 'd/portal.yaml'),
    `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: ${JSON.stringify(portal)}\n`,
  );
  const plan = async (): Promise<string> => {
    const { code, out, err } = await runSvc(folder, ['upgrade', '--plan', 'd', '--state', 's']);
    return `${code} ${err}${out}`;
  };
  const steps = postgresMigrations.length;
  expect(await plan()).toContain(`schema 0 to ${steps} at the first start`);
  expect(await ask('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()')).toEqual([]);
  const store = await openPostgresStore(own, { clock: systemClock, holder: null, migrates: true });
  const status = { key: 'Server/vega', kind: 'Server', state: 'ready', reason: 'Reachable', message: '', conditions: [] } as const;
  await store.putStatus({ ...status, generation: 1, nextDeadlineMs: null, seenAtMs: 1, memory: null, details: { kit: '0.2.5-00000000' } });
  await store.close();
  expect(await plan()).toMatch(new RegExp(`^2 .*schema ${steps}, as it is\nkits {5}vega: 0.2.5-00000000 to `, 's'));
  await ask(`UPDATE svc_schema SET version = ${steps - 1}, readable_from = ${steps - 1}`);
  const back = steps - 1 >= readableFrom ? 'the version of now goes on with it' : 'no version of before opens it then';
  expect(await plan()).toMatch(new RegExp(`^2 .*schema ${steps - 1} to ${steps} at the first start.*${back}`, 's'));
  expect(await ask('SELECT version, readable_from FROM svc_schema')).toEqual([{ version: `${steps - 1}`, readable_from: `${steps - 1}` }]);
  await ask('UPDATE svc_schema SET version = 99, readable_from = NULL');
  expect(await plan()).toMatch(/^1 .*is of a newer svc \(schema 99/s);
});
