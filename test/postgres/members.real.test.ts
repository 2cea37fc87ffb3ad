/**
 * Three portals of one real PostgreSQL: whichever is asked serves; one of them leads, and when it is killed or stands still another one does, and
 * nobody's session or app notices.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { exampleDesired } from '../support/example-desired.ts';
import { emptyServer, freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { order, whenInstalled, whenState } from '../integration/world.ts';

let folder: string;
let database: TestPostgres;
let portals: RunningPortal[];
/** Where the name of the portal leads, as a load balancer would. */
let front: net.Server;
let target = 0;
let ana: Browser;
let frontPort: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcm-'));
  database = await startPostgres();
  const place = await database.database();
  const desired = await exampleDesired(folder, ['notas']);
  await writeFile(join(folder, 'password'), `${String(place.password)}\n`, { mode: 0o600 });
  front = net.createServer((socket) => {
    const onward = net.connect(portals[target]!.port, '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => undefined).on('close', () => [socket, onward].forEach((one) => one.destroy()));
    socket.pipe(onward).pipe(socket);
  });
  frontPort = await freePort();
  front.listen(frontPort, '127.0.0.1');
  await once(front, 'listening');
  const spec = {
    url: `http://svc.localhost:${frontPort}`,
    repository: join(folder, 'apps'),
    store: place.name,
    storePassword: { file: join(folder, 'password') },
  };
  await writeFile(
    join(desired, 'portal.yaml'),
    `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: ${JSON.stringify(spec)}\n`,
  );
  const documents = [
    `kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ${join(folder, 'casa')} } }`,
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa }',
  ];
  await writeFile(join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  portals = [await startPortal({ desired, args: ['--join'] })];
  await whenInstalled(portals[0]!, 'notas');
  portals.push(...(await Promise.all([1, 2].map(() => startPortal({ desired, args: ['--join'] })))));
  const host = `svc.localhost:${frontPort}`;
  ana = createBrowser({ host, url: `http://${host}`, port: frontPort, received: [] });
});
afterAll(async () => {
  for (const portal of portals ?? []) await portal.stop();
  front?.close();
  await database?.remove();
  if (folder !== undefined) {
    await emptyServer(folder);
    await rm(folder, { recursive: true, force: true });
  }
});

const through = (which: number): Browser => {
  target = which;
  return ana;
};
const session = async (which: number): Promise<number> => (await through(which).request('/api/sessao', {})).status;
const leads = (which: number): boolean => {
  const said = portals[which]!.output().matchAll(/"leads":(true|false)|another portal leads now/g);
  return [...said].at(-1)?.[1] === 'true';
};

test('who signs in at one is signed in at each of them', async () => {
  const { pathname, search } = new URL(portals[1]!.link);
  await through(1).request(pathname + search, { headers: navigation });
  expect([await session(0), await session(1), await session(2)]).toEqual([200, 200, 200]);
  expect([0, 1, 2].map(leads)).toEqual([true, false, false]);
});

test('an app that is asked for at any of them runs once, and each of them knows it', async () => {
  await order(portals[2]!, 'start', 'notas');
  const pids = await Promise.all(portals.map(async (portal) => (await whenState(portal, 'notas', 'running')).details['pid']));
  expect(new Set(pids).size).toBe(1);
});
