/**
 * State folders that portals of earlier builds left (test/support/recorded-state.ts), and this build on them: everything that was answered before is answered again, also after
 * `svc store copy`; what lay in the folder beside a PostgreSQL is in it after the first start, once, whichever portal begins and wherever one was killed.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { moveFaultPoints } from '../../controller/faults.ts';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import { emptyServer, freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { restoreDatabase, restoreFolder, usedIn } from '../support/recorded-state.ts';
import { readAll, writePortal, writeUsedDesired, type UsedState } from '../support/used-state.ts';

let server: TestPostgres;
const folders: string[] = [];
const portals: RunningPortal[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  for (const portal of portals) await portal.stop();
  for (const folder of folders) {
    await emptyServer(folder);
    await rm(folder, { recursive: true, force: true });
  }
  await server?.remove();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svcr-'));
  folders.push(folder);
  await mkdir(join(folder, 's'), { mode: 0o700 });
  await writeFile(join(folder, 'portal-key'), randomBytes(32).toString('hex'), { mode: 0o600 });
  return folder;
}

async function shared(folder: string, place: PostgresPlace): Promise<object> {
  await writeFile(join(folder, 'password'), `${String(place.password)}\n`, { mode: 0o600 });
  const file = (name: string): object => ({ file: join(folder, name) });
  return { store: place.name, storePassword: file('password'), portalKey: file('portal-key') };
}

const joined = async (): Promise<readonly string[]> => ['--join', `127.0.0.1:${await freePort()}`];

async function start(options: Parameters<typeof startPortal>[0]): Promise<RunningPortal> {
  const portal = await startPortal(options);
  portals.push(portal);
  return portal;
}

/** The apps of the rooms are installed a moment after the start. */
async function expectAll(portal: RunningPortal, used: UsedState): Promise<void> {
  const { answers, texts } = used;
  await until('the rooms', async () => {
    const rooms = (await readAll(portal.port, { ...used, rooms: [] })).answers['/api/salas?app=caderno'] as readonly unknown[];
    return rooms[0] === 200;
  });
  expect(await readAll(portal.port, used)).toEqual({ answers, texts });
}

const ofState = /^(?:rooms\.db|anexos|fila)/;
const leftIn = async (state: string): Promise<readonly string[]> =>
  (await readdir(state))
    .filter((name) => ofState.test(name))
    .map((name) => name.replace(/\d{13}$/, 'N'))
    .toSorted();

async function counted({ host, port, user, password, database }: PostgresPlace): Promise<readonly number[]> {
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  const { rows } = await client.query<{ readonly files: string; readonly documents: string }>(
    `SELECT (SELECT count(*) FROM files) AS files, (SELECT count(DISTINCT (sala, canal)) FROM room_tails) AS documents`,
  );
  await client.end();
  return [Number(rows[0]?.files), Number(rows[0]?.documents)];
}

/** Attachments, and an input, a log and an output of a job; documents of two rooms. */
const all = [5, 2];

test('of a portal before there was PostgreSQL: it goes on, and all of it is there after a copy into a database', async () => {
  const folder = await newFolder();
  const used = usedIn('sqlite');
  const state = join(folder, 's');
  restoreFolder('sqlite', state);
  const desired = await writeUsedDesired(folder, {});
  const portal = await start({ desired, state });
  await expectAll(portal, used);
  portal.child.kill('SIGTERM');
  await until('its end', () => portal.child.exitCode !== null);
  const place = await server.database();
  await writePortal(folder, await shared(folder, place));
  // As a service would, before somebody copied.
  const early = await runSvc(folder, ['up', desired, '--state', state, '--listen', '127.0.0.1:0']);
  expect([early.code, early.err]).toEqual([1, expect.stringMatching(/CONFLICT.*svc store copy/s)]);
  const copy = async () => await runSvc(folder, ['store', 'copy', desired, '--state', state]);
  const copied = await copy();
  expect([copied.code, copied.out + copied.err]).toEqual([
    0,
    expect.stringMatching(/\n +1 {2}sessions\n[^]*\n +3 {2}files of fila\ndone +\d+ rows and files of /),
  ]);
  expect((await readdir(state)).filter((name) => /\.db(?!-)/.test(name)).toSorted()).toEqual(['rooms.db', 'svc.db']);
  await portal.again();
  await expectAll(portal, used);
  expect(await counted(place)).toEqual(all);
  // It is made once, and of a portal that is stopped; tables are looked at beside the portal, which goes on.
  expect(await copy()).toMatchObject({ code: 1, err: expect.stringContaining('STATE_IN_USE') as string });
  const migrated = await runSvc(folder, ['store', 'migrate', desired, '--state', state]);
  expect([migrated.code, migrated.out]).toEqual([0, expect.stringContaining('are those of this svc')]);
  await expectAll(portal, used);
  await portal.kill();
  expect(await copy()).toMatchObject({ code: 1, err: expect.stringContaining('CONFLICT') as string });
});

test('with rooms and files beside the database: wherever a portal is killed while it moves them, and with two that begin at once, they are there once', async () => {
  const folder = await newFolder();
  const used = usedIn('postgres-and-folder');
  const place = await server.database();
  const [state, other] = [join(folder, 's'), join(folder, 's2')];
  await mkdir(other, { mode: 0o700 });
  for (const each of [state, other]) restoreFolder('postgres-and-folder', each);
  await restoreDatabase('postgres-and-folder', place);
  const desired = await writeUsedDesired(folder, await shared(folder, place));
  const seen: (readonly number[])[] = [];
  for (const point of moveFaultPoints) {
    const args = ['up', desired, '--state', state, '--listen', `127.0.0.1:${await freePort()}`, ...(await joined())];
    const killed = await runSvc(folder, args, { SVC_FAULT_POINT: point });
    expect([point, killed.code, killed.err]).toEqual([point, null, expect.anything()]);
    seen.push(await counted(place));
  }
  // The kill before a commit leaves no rows.
  expect(seen).toEqual([
    [0, 0],
    [0, 2],
    [0, 2],
    [2, 2],
  ]);
  const both = await Promise.all([state, other].map(async (each) => await start({ desired, state: each, args: await joined() })));
  for (const portal of both) await expectAll(portal, used);
  expect(await counted(place)).toEqual(all);
  expect(await Promise.all([state, other].map(leftIn))).toEqual([0, 1].map(() => ['anexos.moved-N', 'fila.moved-N', 'rooms.db']));
});

test('what was moved is set aside without its side files, and a portal that has no file of the rooms says where they may be', async () => {
  const folder = await newFolder();
  const place = await server.database();
  const [state, other] = [join(folder, 's'), join(folder, 's2')];
  await mkdir(other, { mode: 0o700 });
  restoreFolder('postgres-and-folder', state);
  await restoreDatabase('postgres-and-folder', place);
  const desired = await writeUsedDesired(folder, await shared(folder, place));
  const late = async (each: string, point: string) =>
    await runSvc(folder, ['up', desired, '--state', each, '--listen', `127.0.0.1:${await freePort()}`, ...(await joined())], {
      SVC_FAULT_POINT: point,
    });
  const empty = await late(other, 'up/store-open');
  expect(empty.err).toContain('If they lie in the state folder of another portal');
  expect(await counted(place)).toEqual([0, 0]);
  await late(state, 'up/anexos-copied');
  expect(await leftIn(state)).toEqual(['anexos', 'fila', 'rooms.db.moved-N']);
  expect(await counted(place)).toEqual([0, 2]);
});
