/**
 * Three portals of one real PostgreSQL: whichever is asked serves; one of them leads, and when it is killed or stands still another one does, and
 * nobody's session or app notices.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as Y from 'yjs';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { exampleDesired } from '../support/example-desired.ts';
import { emptyServer, freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { beginLoad } from '../support/portals-load.ts';
import { connect, type RawClient } from '../support/room-client.ts';
import { nextPart, nextVersion, makeNextBuild } from '../support/next-build.ts';
import { beginPortalsNginx } from '../support/nginx-portals.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { order, view, whenInstalled, whenState } from '../integration/world.ts';

let folder: string;
let endNginx = async (): Promise<void> => undefined;
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
  const desired = await exampleDesired(folder, ['notas', 'caderno']);
  await writeFile(join(folder, 'password'), `${String(place.password)}\n`, { mode: 0o600 });
  front = net.createServer((socket) => {
    const onward = net.connect(portals[target]!.port, '127.0.0.1');
    for (const end of [socket, onward])
      end.on('error', () => undefined).on('close', () => [socket, onward].forEach((one) => one.destroy()));
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
    portalKey: { file: join(folder, 'portal-key') },
  };
  await writeFile(join(folder, 'portal-key'), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  await writeFile(
    join(desired, 'portal.yaml'),
    `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: ${JSON.stringify(spec)}\n`,
  );
  const documents = [
    `kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ${join(folder, 'casa')} } }`,
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa }',
  ];
  await writeFile(join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  portals = [await startPortal({ desired, args: await joined() })];
  await whenInstalled(portals[0]!, 'notas', 'caderno');
  portals.push(...(await Promise.all([1, 2].map(async () => await startPortal({ desired, args: await joined() })))));
  const host = `svc.localhost:${frontPort}`;
  ana = createBrowser({ host, url: `http://${host}`, port: frontPort, received: [] });
});
afterAll(async () => {
  await endNginx();
  for (const portal of portals ?? []) await portal.stop();
  front?.close();
  await database?.remove();
  if (folder !== undefined) {
    await emptyServer(folder);
    await rm(folder, { recursive: true, force: true });
  }
});

let pid: number;
const processAt = async (which: number): Promise<number> => Number((await whenState(portals[which]!, 'notas', 'running')).details['pid']);
const joined = async (): Promise<readonly string[]> => ['--join', `127.0.0.1:${await freePort()}`];
const through = (which: number): Browser => {
  target = which;
  return ana;
};
async function enter(which: number, room: string, doc?: Y.Doc): Promise<RawClient> {
  const asked = await through(which).call('POST', `/api/salas/${room}/bilhete?app=caderno`, {});
  const { bilhete, caminho } = asked.json() as { readonly bilhete: string; readonly caminho: string };
  const at = `ws://127.0.0.1:${frontPort}${caminho}/documento`;
  const client = connect(at, bilhete, { host: `svc.localhost:${frontPort}`, ...(doc === undefined ? {} : { doc }) });
  await client.synced;
  return client;
}

/** As soon as a portal takes the room over. */
const entered = async (which: number, room: string): Promise<RawClient> =>
  await until('the room', async () => await enter(which, room).catch(() => null));

const said = ({ doc }: RawClient): string => JSON.stringify(doc.getText('t'));

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

test('each of them names all of them, and who leads', async () => {
  for (const portal of portals) {
    const seen = async (): Promise<readonly { readonly holder: string; readonly leads: boolean }[]> =>
      ((await view(portal, 'Portal/casa'))?.details['portals'] ?? []) as readonly { readonly holder: string; readonly leads: boolean }[];
    await until('three portals', async () => (await seen()).length === 3);
    const pids = (await seen()).map(({ holder, leads: isLeader }) => [Number(/process (\d+)$/.exec(holder)?.[1]), isLeader]);
    expect(new Map(pids as [number, boolean][])).toEqual(new Map(portals.map(({ pid }, which) => [pid, which === 0])));
    const { checks } = (await portal.admin('GET', '/api/admin/doctor')).body as {
      readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
    };
    expect(checks.find(({ name }) => name === 'portals')).toMatchObject({ ok: true, warning: false });
  }
});

test('what only the one that leads may do is refused by the others, by the way to it', async () => {
  const asked = await Promise.all(portals.map(async (portal) => await portal.admin('POST', '/api/admin/apply', { prune: false })));
  expect(asked.map(({ status }) => status)).toEqual([200, 409, 409]);
  expect(JSON.stringify(asked[1]!.body)).toContain('another portal of this store leads');
});

test('an app that is asked for at any of them runs once, and each of them knows it', async () => {
  await order(portals[2]!, 'start', 'notas');
  const pids = await Promise.all(portals.map(async (portal) => (await whenState(portal, 'notas', 'running')).details['pid']));
  expect(new Set(pids)).toEqual(new Set([expect.any(Number)]));
  pid = Number(pids[0]);
  const answers = [];
  for (const which of [0, 1, 2]) answers.push((await through(which).visit(`http://notas.svc.localhost:${frontPort}/`)).status);
  expect(answers).toEqual([200, 200, 200]);
});

test('a room is at one of them, and who comes to another one is in the same room', async () => {
  const made = (await through(0).call('POST', '/api/salas?app=caderno', { nome: 'Atas' })).json() as { readonly id: string };
  const clients: RawClient[] = [];
  for (const which of [0, 1, 2]) clients.push(await enter(which, made.id));
  clients[1]!.doc.getText('t').insert(0, 'one ');
  clients[2]!.doc.getText('t').insert(0, 'two ');
  await until('the same text', () => clients.every((client) => said(client).length === '"one two "'.length));
  expect(new Set(clients.map(said)).size).toBe(1);
  const bytes = 'an attachment';
  const put = await through(1).request(`/api/salas/${made.id}/anexos?app=caderno`, {
    method: 'PUT',
    headers: {
      origin: `http://svc.localhost:${frontPort}`,
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
      'content-type': 'text/plain',
    },
    body: bytes,
  });
  const { sha } = put.json() as { readonly sha: string };
  expect((await through(2).request(`/api/salas/${made.id}/anexos/${sha}?app=caderno`, {})).text).toBe(bytes);
  clients[0]!.presence.setLocalState({ cursor: 3 });
  await until('presence', () => clients.every(({ presence }) => presence.getStates().size === 1));
  // Each of them reads its versions; the one that has it brings one back.
  const history = `/api/salas/${made.id}/historico`;
  const [{ versao, pessoas }] = (await through(2).call('GET', `${history}?app=caderno`)).json().versoes;
  expect([pessoas, (await through(1).call('GET', `${history}/${versao}?app=caderno&formato=texto`)).text]).toEqual([
    [{ usuario: 'ana', nome: 'Ana Souza' }],
    JSON.parse(said(clients[0]!)),
  ]);
  expect((await through(2).call('PUT', `${history}/${versao}?app=caderno`, { nome: 'Boa' })).status).toBe(204);
  const before = clients.map(said);
  clients[1]!.doc.getText('t').delete(0, 8);
  await until('the text gone', () => clients.every((client) => said(client) === '""'));
  expect((await through(2).call('POST', `${history}/${versao}/volta?app=caderno`)).status).toBe(204);
  await until('the text back', () => clients.every((client, at) => said(client) === before[at]));
  expect((await through(1).call('POST', `${history}/999/volta?app=caderno`)).status).toBe(404);
  // The portal that has it was the first that was asked.
  await portals[0]!.kill();
  for (const client of clients) await client.closed;
  expect(said(await entered(1, made.id))).toBe(said(clients[1]!));
  const again = [await enter(1, made.id, clients[1]!.doc), await enter(2, made.id)];
  again[0]!.doc.getText('t').insert(0, 'three ');
  await until('the same text', () => new Set(again.map(said)).size === 1 && said(again[1]!).includes('three'));
  for (const client of again) client.end();
  await portals[0]!.again();
  await until('one to lead', () => [0, 1, 2].some(leads));
});

test('the portal that leads is killed: another one leads, and nobody else notices', async () => {
  const killed = [0, 1, 2].findIndex(leads);
  const [one, two] = [0, 1, 2].filter((which) => which !== killed) as [number, number];
  await portals[killed]!.kill();
  expect([await session(one), await session(two), await processAt(one)]).toEqual([200, 200, pid]);
  await until('another one to lead', () => leads(one) || leads(two));
  await order(portals[one]!, 'restart', 'notas');
  await until('another process', async () => (await processAt(one)) !== pid && (await processAt(two)) !== pid);
  pid = await processAt(two);
  await portals[killed]!.again();
  expect([await session(killed), await processAt(killed), leads(killed)]).toEqual([200, pid, false]);
});

test('a drain goes on when the portal that leads is killed, and the next one keeps its deadline', async () => {
  const killed = [0, 1, 2].findIndex(leads);
  const [next] = [0, 1, 2].filter((which) => which !== killed) as [number];
  const drain = async (which: number, ...more: readonly string[]): Promise<void> =>
    expect((await runSvc(folder, ['server', 'drain', 'casa', ...more, '--state', portals[which]!.state])).err).toBe('');
  const reason = async (key: string): Promise<string | undefined> => (await view(portals[next]!, key))?.reason;
  // Somebody is in the app.
  const socket = (await readdir(folder, { recursive: true })).find((name) => name.endsWith('notas/app.sock')) ?? '';
  const open = net.connect(join(folder, socket)).on('error', () => undefined);
  await until(
    'the connection is counted',
    async () => Number((await view(portals[killed]!, 'Backend/ana/notas'))?.details['connections']) > 0,
  );
  await drain(killed, '--deadline', '1m');
  await until('the drain', async () => (await reason('Server/casa')) === 'Draining');
  await portals[killed]!.kill();
  await until('another one to lead', () => [0, 1, 2].some((which) => which !== killed && leads(which)));
  expect([await order(portals[next]!, 'start', 'caderno'), await processAt(next)]).toEqual([
    expect.objectContaining({ reason: 'Drained' }),
    pid,
  ]);
  await until('the end at the deadline', async () => (await reason('Backend/ana/notas')) === 'Drained', 90_000);
  open.destroy();
  await until('the server is drained', async () => (await reason('Server/casa')) === 'Drained');
  await portals[killed]!.again();
  await drain([0, 1, 2].findIndex(leads), '--undo');
  await until('a start', async () => JSON.stringify(await order(portals[killed]!, 'start', 'notas')).includes('"ready":true'));
  pid = await processAt(killed);
});

test('one that stood still while another one took over only looks when it goes on', async () => {
  const paused = [0, 1, 2].findIndex(leads);
  const others = [0, 1, 2].filter((which) => which !== paused);
  portals[paused]!.child.kill('SIGSTOP');
  await until('another one to lead', () => others.some(leads));
  await order(portals[others[0]!]!, 'restart', 'notas');
  await until('another process', async () => (await processAt(others[1]!)) !== pid);
  pid = await processAt(others[1]!);
  portals[paused]!.child.kill('SIGCONT');
  await until('it to look only', () => !leads(paused));
  expect([await session(paused), await processAt(paused)]).toEqual([200, pid]);
});

test('one that is ended hands over at once', async () => {
  const ended = [0, 1, 2].findIndex(leads);
  const others = [0, 1, 2].filter((which) => which !== ended);
  portals[ended]!.child.kill('SIGTERM');
  await once(portals[ended]!.child, 'exit');
  await until('another one to lead', () => others.some(leads), 2_000);
  expect([await session(others[0]!), await processAt(others[0]!)]).toEqual([200, pid]);
});

test('each is replaced by one of the next build, one after the other, under a load through nginx: no question that may be asked again fails', async () => {
  await Promise.all([0, 1, 2].map(async (which) => (portals[which]!.child.exitCode === null ? null : await portals[which]!.again())));
  const tree = join(folder, 'next');
  await makeNextBuild(tree);
  const port = await freePort();
  endNginx = await beginPortalsNginx(
    join(folder, 'nginx'),
    `127.0.0.1:${port}`,
    portals.map((portal) => `127.0.0.1:${portal.port}`),
  );
  const host = `svc.localhost:${frontPort}`;
  const { id: room } = (await through(0).call('POST', '/api/salas?app=caderno', { nome: 'Rol' })).json() as { readonly id: string };
  const load = beginLoad({ port, host, cookies: ana.cookies, room, restMs: 40 });
  const replace = async (which: number, by?: string): Promise<void> => {
    portals[which]!.child.kill('SIGTERM');
    await once(portals[which]!.child, 'exit');
    await portals[which]!.again({}, by);
  };
  await replace(0, tree);
  // Which only one of the three has.
  await load.alsoAsk(nextPart);
  await load.goesOn();
  // A portal of the build before that starts again finds tables to which the next one added.
  await replace(1);
  const { checks } = (await portals[1]!.admin('GET', '/api/admin/doctor')).body as {
    readonly checks: readonly { readonly name: string; readonly warning: boolean; readonly detail: string }[];
  };
  expect(checks.find(({ name }) => name === 'portals')).toMatchObject({
    warning: true,
    detail: expect.stringContaining(`process ${portals[0]!.pid} (${nextVersion}`) as string,
  });
  await load.goesOn();
  await replace(1, tree);
  await replace(2, tree);
  await load.goesOn();
  const { failed, asked, written } = await load.end();
  target = 0;
  const reader = await entered(0, room);
  expect(said(reader)).toBe(written);
  reader.end();
  expect(failed).toEqual([]);
  expect(asked).toBeGreaterThan(100);
  expect([await session(0), await processAt(0)]).toEqual([200, pid]);
}, 360_000);
