/**
 * Rooms with a real `svc up`: a Grant document makes a room and lets people in, what a page takes away comes back, a backend has its credential
 * while it runs, and a document that goes takes its roles along, also from who sits in the room.
 */
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { connect } from '../support/room-client.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { order, view, whenState, writeDesired } from './world.ts';

let folder: string;
let file: string;
let portal: RunningPortal;
let ana: Browser;
let bia: Browser;
let host: string;

const grant = (name: string, spec: string): string =>
  `\n---\napiVersion: svc/v1\nkind: Grant\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
const atas = grant('atas', '{ app: caderno, sala: Atas, dona: ana, pessoas: [{ usuario: bia, papel: ver }] }');
const planos = grant('planos', '{ app: caderno, sala: Planos, dona: ana }');
let base: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcg-'));
  const desired = await writeDesired(join(folder, 'd'), { apps: ['caderno'] });
  file = join(desired, 'casa.yaml');
  const person = 'apiVersion: svc/v1\nkind: Person\nmetadata: { name: bia }\nspec: { nome: Bia, login: bia, server: casa, account: bia }\n';
  base = `${await readFile(file, 'utf8')}---\n${person}`;
  await writeFile(file, base + atas + planos);
  portal = await startPortal({ desired });
  host = `svc.localhost:${portal.port}`;
  [ana, bia] = await Promise.all([signedIn('ana'), signedIn('bia')]);
});
afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function signedIn(person: string): Promise<Browser> {
  const { link } = (await portal.admin('POST', '/api/admin/links', { person })).body as { link: string };
  const browser = createBrowser({ host, port: portal.port, url: `http://${host}`, received: [] });
  const { pathname, search } = new URL(link);
  expect((await browser.request(pathname + search, { headers: navigation })).status).toBe(302);
  return browser;
}
const roomsOf = async (browser: Browser): Promise<readonly string[]> =>
  (await browser.call('GET', '/api/salas?app=caderno'))
    .json()
    .salas.map(({ nome, papel }: Record<string, string>) => `${nome} ${papel}`)
    .toSorted();
const idOf = async (nome: string): Promise<string> =>
  (await ana.call('GET', '/api/salas?app=caderno')).json().salas.find((room: { nome: string }) => room.nome === nome).id;
const granted = () => until('the grant in force', async () => (await view(portal, 'Grant/atas'))?.state === 'granted');
const svc = async (...args: string[]) => (await runSvc(folder, [...args, '--state', portal.state])).out;

async function enter(browser: Browser, id: string): Promise<WebSocket> {
  const { bilhete, caminho } = (await browser.call('POST', `/api/salas/${id}/bilhete?app=caderno`, {})).json();
  const socket = new WebSocket(`ws://127.0.0.1:${portal.port}${caminho}/documento?bilhete=${bilhete}`, { headers: { host } });
  await once(socket, 'open');
  return socket;
}

test('the document makes the room, lets the person in and invites them', async () => {
  await granted();
  expect(await roomsOf(ana)).toEqual(['Atas dona', 'Planos dona']);
  expect(await roomsOf(bia)).toEqual(['Atas ver']);
  expect((await bia.call('GET', '/api/avisos')).json()).toMatchObject({
    avisos: [{ tipo: 'convite', appNome: 'Caderno', salaNome: 'Atas', de: { nome: 'Ana Souza' }, papel: 'ver' }],
    naoLidos: 1,
  });
  expect(await svc('get', 'grants')).toMatch(/^OBJECT .*\nGrant\/atas +granted +\d+s +Granted .*\nGrant\/planos +granted +\d+s +Granted /);
  expect(await svc('describe', 'grant/atas')).toMatch(/bia ver/);
  expect(await svc('why', 'grant/atas')).toMatch(/because its room and its\s+roles are as the document says: in the room\s+Atas/);
  expect(await svc('plan')).toBe('Nothing to change.\n');
});

test('what the owner takes away in the page comes back within a resync, and is shown as wanted by a document', async () => {
  const id = await idOf('Atas');
  expect((await ana.call('DELETE', `/api/salas/${id}/pessoas/bia?app=caderno`)).status).toBe(204);
  expect(await roomsOf(bia)).toEqual([]);
  await until('the role back', async () => (await roomsOf(bia)).includes('Atas ver'));
  expect((await ana.call('GET', `/api/salas/${id}?app=caderno`)).json().pessoas).toMatchObject([
    { usuario: 'ana', papel: 'dona', declarada: false },
    { usuario: 'bia', papel: 'ver', declarada: true },
  ]);
});

test('a backend has a credential of its own app from its start to its stop', async () => {
  await order(portal, 'start', 'caderno');
  await whenState(portal, 'caderno', 'running');
  const path = join(portal.state, 'home/ana/.svc-apps/caderno/env');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const variables = Object.fromEntries(
    [...readFileSync(path, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(variables['SVC_PORTAL_URL']).toBe(`http://127.0.0.1:${portal.port}`);
  const token = variables['SVC_PORTAL_TOKEN'] ?? '';
  const ask = async (target: string, init: RequestInit = {}) =>
    await fetch(`${variables['SVC_PORTAL_URL']}${target}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
  expect(await (await ask('/api/pessoas/eu')).json()).toMatchObject({ usuario: 'ana' });
  expect(await (await ask('/api/salas')).json()).toMatchObject({ salas: [{ dona: 'ana' }, { dona: 'ana' }] });
  const ticket = await ask(`/api/salas/${await idOf('Atas')}/bilhete`, { method: 'POST', body: '{"app":"caderno"}' });
  const { bilhete, caminho } = (await ticket.json()) as { bilhete: string; caminho: string };
  const socket = new WebSocket(`${variables['SVC_PORTAL_URL']?.replace('http', 'ws')}${caminho}/comentarios?bilhete=${bilhete}`);
  await once(socket, 'open');
  const closed = once(socket, 'close') as Promise<[code: number]>;
  await order(portal, 'stop', 'caderno');
  expect((await closed)[0]).toBe(1013);
  expect((await ask('/api/salas')).status).toBe(401);
  const late = new WebSocket(`${variables['SVC_PORTAL_URL']?.replace('http', 'ws')}${caminho}/comentarios?bilhete=${bilhete}`);
  expect(String((await once(late, 'error'))[0])).toContain('403');
  expect(existsSync(path)).toBe(false);
  expect(portal.output()).not.toContain(token);
});

test.for([
  ['by signing out', (other: Browser) => other.call('DELETE', '/api/sessao')],
  ['from another session', () => bia.call('DELETE', '/api/sessoes?outras=1')],
] as const)('a session that ends sits nowhere any more: %s', async ([, end]) => {
  const other = await signedIn('bia');
  const [ended, stays] = await Promise.all([enter(other, await idOf('Atas')), enter(bia, await idOf('Atas'))]);
  const closed = once(ended, 'close') as Promise<[code: number]>;
  expect((await end(other)).status).toBeOneOf([200, 204]);
  expect((await closed)[0]).toBe(1013);
  expect(stays.readyState).toBe(WebSocket.OPEN);
  stays.terminate();
});

test('what was written comes back as an edit of who asked, also after a restart; versions say who wrote them', async () => {
  const { id } = (await ana.call('POST', '/api/salas?app=caderno', { nome: 'Receitas' })).json();
  const at = `/api/salas/${id}/historico`;
  await ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=caderno`, { papel: 'editar' });
  const sit = async (who: Browser) => {
    const { bilhete, caminho } = (await who.call('POST', `/api/salas/${id}/bilhete?app=caderno`, {})).json();
    const client = connect(`ws://127.0.0.1:${portal.port}${caminho}/documento`, bilhete, { host });
    await client.synced;
    return client;
  };
  const [first, second] = await Promise.all([sit(ana), sit(bia)]);
  const text = first.doc.getText('texto');
  const versions = async (): Promise<readonly { versao: number; pessoas: readonly { nome: string }[]; nome: string | null }[]> =>
    (await ana.call('GET', `${at}?app=caderno`)).json().versoes;
  const saidIn = async (versao: number) => (await bia.call('GET', `${at}/${versao}?app=caderno&formato=texto`)).text;
  text.insert(0, 'Bolo de milho');
  const good = await until('the version of ana', async () => (await versions())[0]?.versao);
  expect((await ana.call('PUT', `${at}/${good}?app=caderno`, { nome: 'A boa' })).status).toBe(204);
  second.doc.getText('texto').insert(0, 'Torta, não ');
  second.doc.getText('texto').delete(11, 7);
  await until('both writers', async () => (await versions()).length === 2);
  first.end();
  second.end();
  await portal.kill();
  await portal.again();
  const [after] = await versions();
  expect((await versions()).map(({ pessoas, nome }) => [pessoas.map((each) => each.nome), nome])).toEqual([
    [['Bia'], null],
    [['Ana Souza'], 'A boa'],
  ]);
  expect([await saidIn(after!.versao), await saidIn(good)]).toEqual(['Torta, não  milho', 'Bolo de milho']);
  const third = await sit(ana);
  expect((await bia.call('POST', `${at}/${good}/volta?app=caderno`)).status).toBe(204);
  await until('the edit at the other socket', async () => JSON.stringify(third.doc.getText('texto')) === '"Bolo de milho"');
  expect((await versions()).length).toBe(2);
  expect(await saidIn((await versions())[0]!.versao)).toBe('Bolo de milho');
  const { headers } = await bia.call('GET', `${at}/${good}?app=caderno&formato=html`);
  expect(headers).toMatchObject({ 'content-security-policy': "default-src 'none'; sandbox", 'x-content-type-options': 'nosniff' });
  third.end();
  expect((await ana.call('DELETE', `/api/salas/${id}?app=caderno`)).status).toBe(204);
});

test('an administrator who ends the sessions of a person empties their seats', async () => {
  const socket = await enter(bia, await idOf('Atas'));
  const closed = once(socket, 'close') as Promise<[code: number]>;
  expect((await portal.admin('DELETE', '/api/admin/sessions/bia')).status).toBe(200);
  expect((await closed)[0]).toBe(1013);
  bia = await signedIn('bia');
});

test('who sits in the room is put out when the document goes; what people gave, and the room, stay', async () => {
  const id = await idOf('Atas');
  const socket = await enter(bia, id);
  const closed = once(socket, 'close') as Promise<[code: number]>;
  await writeFile(file, base + planos);
  await portal.admin('POST', '/api/admin/apply', { prune: true });
  expect((await closed)[0]).toBe(4403);
  expect(await roomsOf(bia)).toEqual([]);
  expect(await roomsOf(ana)).toEqual(['Atas dona', 'Planos dona']);
  expect((await bia.call('GET', '/api/avisos')).json()).toEqual({ avisos: [], naoLidos: 0 });
  await until('the document forgotten', async () => (await view(portal, 'Grant/atas')) === null);
});

// The relay refuses each of them: store/room-log-mark.test.ts.
test.for(
  everyNth(3, [
    ['gone', (rooms: string) => rm(rooms)],
    ['empty', (rooms: string) => writeFile(rooms, '')],
    ['no database', (rooms: string) => writeFile(rooms, 'x'.repeat(8_192))],
  ] as const),
)('with rooms.db %s the portal and its apps go on, and no room comes up blank', async ([, damage]) => {
  const rooms = join(portal.state, 'rooms.db');
  await portal.kill();
  for (const side of ['-wal', '-shm']) await rm(rooms + side, { force: true });
  await damage(rooms);
  await portal.again();
  expect((await ana.call('GET', '/api/apps')).status).toBe(200);
  const socket = await enter(ana, await idOf('Atas'));
  expect(((await once(socket, 'close')) as [code: number])[0]).toBe(1011);
  const doctor = await svc('doctor');
  expect(doctor).toMatch(/FAIL +rooms +[^]*rooms\.db/);
  expect(doctor).toContain('rooms.accept-loss');
});

test('a loss that is accepted opens them again, empty', async () => {
  await writeFile(join(portal.state, 'rooms.accept-loss'), '');
  await portal.kill();
  await portal.again();
  const socket = await enter(ana, await idOf('Atas'));
  expect(await svc('doctor')).toMatch(/ok +rooms /);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.terminate();
});
