/**
 * `svc up` with its store in a real PostgreSQL: what it knows outlives the server of the database; while that is away apps go on, and everything
 * comes back by itself; another portal is refused by its name until the first one is gone.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { exampleDesired } from '../support/example-desired.ts';
import { freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { order, whenInstalled, whenState } from '../integration/world.ts';

let folder: string;
let desired: string;
let server: TestPostgres;
let portal: RunningPortal;
let ana: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcp-'));
  server = await startPostgres();
  const place = await server.database();
  desired = await exampleDesired(folder, ['notas']);
  await writeFile(join(folder, 'password'), `${String(place.password)}\n`, { mode: 0o600 });
  const spec = { repository: join(folder, 'apps'), store: place.name, storePassword: { file: join(folder, 'password') } };
  await writeFile(
    join(desired, 'portal.yaml'),
    `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: ${JSON.stringify(spec)}\n`,
  );
  portal = await startPortal({ desired });
  const host = `svc.localhost:${portal.port}`;
  ana = createBrowser({ host, url: `http://${host}`, port: portal.port, received: [] });
  const { pathname, search } = new URL(portal.link);
  await ana.request(pathname + search, { headers: navigation });
});
afterAll(async () => {
  await portal?.stop();
  await server?.remove();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const session = async (): Promise<number> => (await ana.request('/api/sessao', {})).status;
const processOf = async (): Promise<unknown> => (await whenState(portal, 'notas', 'running')).details['pid'];

test('a second portal of the database is refused by the name of the first', async () => {
  const second = await runSvc(folder, ['up', desired, '--state', join(folder, 's2'), '--listen', `127.0.0.1:${await freePort()}`]);
  expect([second.code, second.err]).toEqual([1, expect.stringContaining(`process ${portal.pid}`)]);
  expect(second.err).not.toContain('password');
  expect(await session()).toBe(200);
});

test('while the database is away the app goes on, and all is well when it is back', async () => {
  await whenInstalled(portal, 'notas');
  await order(portal, 'start', 'notas');
  const pid = await processOf();
  await server.stop('immediate');
  const asked = session();
  await server.start();
  expect(await asked).toBe(200);
  await server.stop('fast');
  // Longer than it is waited for: what needs the store says so.
  await until('a refusal', async () => (await session()) >= 500);
  expect(() => process.kill(Number(pid), 0)).not.toThrow();
  await server.start();
  await until('an answer', async () => (await session()) === 200);
  expect(await processOf()).toBe(pid);
  await order(portal, 'stop', 'notas');
  await whenState(portal, 'notas', 'stopped');
});
