/**
 * The first build that knew `--join`, as it was, is replaced by this one under a load: in the long run, where the history of the clone has
 * it. The test of every run is in members.real.test.ts, with a build that is made of this tree.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, navigation } from '../../api/testing/portal-world.ts';
import { order, whenInstalled, whenState } from '../integration/world.ts';
import { beginPortalsNginx } from '../support/nginx-portals.ts';
import { emptyServer, freePort, repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { beginLoad } from '../support/portals-load.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { writeUsedDesired } from '../support/used-state.ts';

/** A commit of 26 November 2026. */
const older = 'df3a993eaa282e95529a2c97cab073c4824e8d98';
const isLong = process.env['SVC_TEST_LONG'] === '1';

function hasHistory(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${older}^{commit}`], { cwd: repository, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let folder: string;
let endNginx = async (): Promise<void> => undefined;
let database: TestPostgres | undefined;
const portals: RunningPortal[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svco-'));
});
afterAll(async () => {
  await endNginx();
  for (const portal of portals) await portal.stop();
  await database?.remove();
  await emptyServer(folder);
  await rm(folder, { recursive: true, force: true });
});

/** As a clone of it that was set up. */
async function makeOlder(): Promise<string> {
  const tree = join(folder, 'older');
  await mkdir(tree);
  const archive = execFileSync('git', ['archive', older], { cwd: repository, maxBuffer: 512 * 1_024 * 1_024 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  await symlink(join(repository, 'node_modules'), join(tree, 'node_modules'));
  execFileSync(process.execPath, ['setup/build.ts'], { cwd: tree });
  return tree;
}

test.runIf(isLong)('portals of the first build with --join are replaced by those of this one under a load', async ({ skip }) => {
  if (!hasHistory()) skip(`the history of this clone does not have ${older}`);
  const tree = await makeOlder();
  database = await startPostgres();
  const place = await database.database();
  await writeFile(join(folder, 'password'), String(place.password), { mode: 0o600 });
  await writeFile(join(folder, 'portal-key'), randomBytes(32).toString('hex'), { mode: 0o600 });
  const [port, file] = [await freePort(), (name: string) => ({ file: join(folder, name) })];
  const host = `svc.localhost:${port}`;
  const desired = await writeUsedDesired(folder, {
    url: `http://${host}`,
    store: place.name,
    storePassword: file('password'),
    portalKey: file('portal-key'),
  });
  for (const _ of [0, 1, 2]) portals.push(await startPortal({ desired, tree, args: ['--join', `127.0.0.1:${await freePort()}`] }));
  await whenInstalled(portals[0]!, 'notas', 'caderno');
  await order(portals[0]!, 'start', 'notas');
  const pidOf = async (): Promise<unknown> => (await whenState(portals[0]!, 'notas', 'running')).details['pid'];
  const pid = await pidOf();
  endNginx = await beginPortalsNginx(
    join(folder, 'nginx'),
    `127.0.0.1:${port}`,
    portals.map((portal) => `127.0.0.1:${portal.port}`),
  );
  const ana = createBrowser({ host, url: `http://${host}`, port, received: [] });
  const { pathname, search } = new URL(portals[0]!.link);
  await ana.request(pathname + search, { headers: navigation });
  expect((await ana.visit(`http://notas.${host}/`)).status).toBe(200);
  const made = await until('the room', async () => {
    const answer = await ana.call('POST', '/api/salas?app=caderno', { nome: 'Rol' });
    return answer.status === 201 ? (answer.json() as { readonly id: string }) : null;
  });
  const load = beginLoad({ port, host, cookies: ana.cookies, room: made.id });
  await load.goesOn();
  for (const portal of portals) {
    portal.child.kill('SIGTERM');
    await once(portal.child, 'exit');
    await portal.again({}, repository);
    await load.goesOn();
  }
  const { failed, asked, written } = await load.end();
  process.stdout.write(`${asked} questions, ${failed.length} failed; ${JSON.parse(written).split(' ').length - 1} edits, none lost\n`);
  expect(failed).toEqual([]);
  expect(await pidOf()).toBe(pid);
});
