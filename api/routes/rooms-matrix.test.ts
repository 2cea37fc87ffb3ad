/** Rights in a room: every route by every role, for pages and for backends. The table is written from rules 2.4, 4.1, 5 and 7, not from the code. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PortalScope } from '../../store/rooms.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let world: PortalWorld;
let ana: Browser;
let bia: Browser;
beforeAll(async () => {
  world = await createPortalWorld();
  [ana, bia] = await Promise.all([world.signedIn('ana'), world.signedIn('bia')]);
});
afterAll(() => world.close());
/** So that nobody here asks too fast. */
beforeEach(() => (world.clock as ManualClock).advance(60_000));

const bytes = 'attachment';
const sha = createHash('sha256').update(bytes).digest('hex');

/** Method, path below the room, body; `self` and `other` are the one who asks and somebody else in the room. */
const routes = {
  read: ['GET', '', undefined],
  rename: ['PATCH', '', { nome: 'Outra' }],
  giveOther: ['PUT', '/pessoas/other', { papel: 'ver' }],
  handOver: ['PUT', '/dona', { usuario: 'bia' }],
  giveGroup: ['PUT', '/grupos/editores', { papel: 'ver' }],
  takeGroup: ['DELETE', '/grupos/editores', undefined],
  notify: ['POST', '/avisos', { tipo: 'mencao', para: ['ana', 'bia'], ancora: 'c1' }],
  ticket: ['POST', '/bilhete', { app: 'notas' }],
  attach: ['PUT', '/anexos', bytes],
  attachment: ['GET', `/anexos/${sha}`, undefined],
  takeOther: ['DELETE', '/pessoas/other', undefined],
  // Nothing was written, so there is no version.
  history: ['GET', '/historico', undefined],
  version: ['GET', '/historico/1', undefined],
  nameVersion: ['PUT', '/historico/1', { nome: 'Enviada' }],
  bringBack: ['POST', '/historico/1/volta', undefined],
  leave: ['DELETE', '/pessoas/self', undefined],
  remove: ['DELETE', '', undefined],
} as const;
type Route = keyof typeof routes;

/** In the order of the columns; `out`: not in the room. For somebody who is not the owner, `other` is the owner. */
const columns = ['dona', 'editar', 'comentar', 'ver', 'out', 'other app'] as const;
const expected: { readonly [R in Route]: readonly number[] } = {
  read: [200, 200, 200, 200, 404, 404],
  rename: [200, 403, 403, 403, 404, 404],
  giveOther: [200, 403, 403, 403, 404, 404],
  handOver: [200, 403, 403, 403, 404, 404],
  giveGroup: [200, 403, 403, 403, 404, 404],
  takeGroup: [204, 403, 403, 403, 404, 404],
  notify: [200, 200, 200, 200, 404, 404],
  // A former member gets a ticket of null (rules 7).
  ticket: [200, 200, 200, 200, 200, 404],
  attach: [200, 200, 200, 403, 404, 404],
  attachment: [200, 200, 200, 200, 404, 404],
  takeOther: [204, 403, 403, 403, 404, 404],
  history: [200, 200, 403, 403, 404, 404],
  version: [404, 404, 403, 403, 404, 404],
  nameVersion: [404, 404, 403, 403, 404, 404],
  bringBack: [204, 204, 403, 403, 404, 404],
  leave: [204, 204, 204, 204, 404, 404],
  remove: [204, 403, 403, 403, 404, 404],
};

async function room(papel: string): Promise<string> {
  const { id } = (await ana.call('POST', '/api/salas?app=notas', { nome: 'Atas' })).json();
  // In a room of ana's, bia is the other one, and the one who asks as anything but the owner.
  if (papel !== 'out') await ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel: papel === 'dona' ? 'ver' : papel });
  await send(ana, 'attach', id, 'ana', 'app=notas');
  return id;
}

type Asker = Browser | string;

/** A browser asks as a page, a string is the token of a backend. */
async function send(asker: Asker, route: Route, id: string, self: string, query: string): Promise<Answer> {
  const [method, below, body] = routes[route];
  const names = { self, other: self === 'ana' ? 'bia' : 'ana' } as const;
  const path = `/api/salas/${id}${below.replace(/\b(self|other)\b/, (name) => names[name as 'self'])}${query === '' ? '' : `?${query}`}`;
  const raw = typeof body === 'string';
  const content = body === undefined ? {} : { body: raw ? body : JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': raw ? 'text/plain' : 'application/json' };
  if (typeof asker === 'string') {
    // As a backend on the portal's machine calls it: by address.
    const headers = { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${asker}`, ...type };
    return await world.browser().request(path, { method, headers, ...content });
  }
  return await asker.request(path, { method, headers: { origin: world.url, 'sec-fetch-site': 'same-origin', ...type }, ...content });
}

async function token(usuario: string, app: string, scopes: readonly PortalScope[]): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(value).digest('hex');
  await world.store.rooms.putPortalToken({ tokenHash, usuario, app, scopes, startHash: 's', atMs: 0 });
  return value;
}

describe.for(Object.keys(routes) as Route[])('%s', (route) => {
  test.for(columns.map((column, index) => [column, expected[route][index]] as const))('%s: %i', async ([column, status]) => {
    const self = column === 'dona' ? 'ana' : 'bia';
    const papel = column === 'other app' ? 'editar' : column;
    const app = column === 'other app' ? 'relogio' : 'notas';
    // The body of a ticket names the app too.
    const page = await send(self === 'ana' ? ana : bia, route, await room(papel), self, `app=${app}`);
    expect([page.status, page.text]).toEqual([status, expect.any(String)]);
    const backend = await send(await token(self, app, ['salas']), route, await room(papel), self, '');
    expect([backend.status, backend.text]).toEqual([status, expect.any(String)]);
  });

  test('without a session, and with a token that is none or has ended: 401', async () => {
    const id = await room('editar');
    const ended = await token('bia', 'notas', ['salas']);
    await world.store.rooms.keepPortalTokens('bia', 'notas', null);
    const askers = [world.browser(), ended, 'x', 'A'.repeat(43)];
    for (const asker of askers) expect((await send(asker, route, id, 'bia', 'app=notas')).status).toBe(401);
  });

  test('with a token that lacks the scope of rooms: 403', async () => {
    const answer = await send(await token('ana', 'notas', ['fila', 'metricas']), route, await room('ver'), 'ana', '');
    expect([answer.status, answer.json().code]).toEqual([403, 'FORBIDDEN']);
  });

  test('over the control socket nobody is anybody: 401', async () => {
    const [method, below] = routes[route];
    expect(
      (await world.control(method, `/api/salas/${await room('ver')}${below.replace('other', 'bia').replace('self', 'ana')}?app=notas`))
        .status,
    ).toBeOneOf([400, 401]);
  });
});

test('pages of other origins may neither read nor change', async () => {
  const id = await room('ver');
  for (const origin of [`http://notas.${world.host}`, 'https://evil.example', 'null']) {
    const read = await ana.request(`/api/salas/${id}?app=notas`, { headers: { origin, 'sec-fetch-site': 'same-site' } });
    const change = await ana.request(`/api/salas/${id}?app=notas`, {
      method: 'DELETE',
      headers: { origin, 'sec-fetch-site': 'same-site' },
    });
    expect([read.json().code, change.json().code]).toEqual(['CROSS_ORIGIN', 'CROSS_ORIGIN']);
  }
});

test('by address only backends get an answer', async () => {
  const headers = { host: `127.0.0.1:${world.port}` };
  expect((await world.browser().request('/api/salas?app=notas', { headers })).status).toBe(421);
  expect((await ana.request('/api/sessao', { headers: { ...headers, authorization: 'Bearer x' } })).status).toBe(401);
  const own = await token('ana', 'notas', ['salas']);
  const ask = async (path: string) =>
    (await world.browser().request(path, { headers: { ...headers, authorization: `Bearer ${own}` } })).status;
  expect(await Promise.all(['/api/salas', '/api/pessoas/eu', '/api/pessoas?busca=bi', '/api/avisos', '/api/apps', '/'].map(ask))).toEqual([
    200, 200, 200, 401, 401, 421,
  ]);
});

test('a backend makes rooms of its own app and no other', async () => {
  const own = await token('ana', 'notas', ['salas']);
  const post = (body: object, query = '') =>
    world.browser().request(`/api/salas${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await post({ nome: 'x' })).json()).toMatchObject({ app: 'notas', dona: 'ana' });
  expect((await post({ nome: 'x', app: 'notas' })).status).toBe(201);
  expect((await post({ nome: 'x', app: 'relogio' })).status).toBe(404);
  expect((await post({ nome: 'x' }, '?app=relogio')).status).toBe(404);
});

test('no token is ever logged or answered', async () => {
  const own = await token('ana', 'notas', ['salas']);
  await send(own, 'read', await room('ver'), 'ana', '');
  expect(world.logLines.join('')).not.toContain(own);
  expect(Buffer.concat(world.received).toString()).not.toContain(own);
});
