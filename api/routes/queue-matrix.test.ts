/**
 * Rights in the queue: every route by every kind of credential. The table is written from rules 2.1, 4.1 and 5 and the agreement of
 * docs/decisions/0211-the-queue.md, not from the code.
 */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PortalScope } from '../../store/rooms.ts';
import { newJobId } from '../../store/jobs.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let world: PortalWorld;
let ana: Browser;
let bia: Browser;
let admin: Browser;
beforeAll(async () => {
  world = await createPortalWorld({ manifests: { notas: { recursos: { fila: true } }, relogio: { recursos: { fila: true } } } });
  [ana, bia, admin] = await Promise.all([world.signedIn('ana'), world.signedIn('bia'), world.signedIn('bia', { admin: true })]);
});
afterAll(() => world.close());

const bytes = 'an input';
const sha = createHash('sha256').update(bytes).digest('hex');
const shaOfOutput = createHash('sha256').update('out').digest('hex');

interface Route {
  readonly method: string;
  /** `:id` is the job of ana's notas. */
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}
const json = 'application/json';
const routes = {
  list: { method: 'GET', path: '/api/fila' },
  submit: { method: 'POST', path: '/api/fila/trabalhos', body: JSON.stringify({ chave: 'k', comando: ['true'] }), type: json },
  read: { method: 'GET', path: '/api/fila/trabalhos/:id' },
  cancel: { method: 'DELETE', path: '/api/fila/trabalhos/:id' },
  log: { method: 'GET', path: '/api/fila/trabalhos/:id/registo' },
  outputs: { method: 'GET', path: '/api/fila/trabalhos/:id/saida' },
  output: { method: 'GET', path: '/api/fila/trabalhos/:id/saida/a/b.txt' },
  again: { method: 'POST', path: '/api/fila/trabalhos/:id/repetir', body: JSON.stringify({ chave: 'again' }), type: json },
  archive: { method: 'GET', path: '/api/fila/trabalhos/:id/saidas.tar' },
  put: { method: 'PUT', path: `/api/fila/entradas/${sha}?desde=0&tamanho=${bytes.length}`, body: bytes, type: 'text/plain' },
  see: { method: 'GET', path: `/api/fila/entradas/${sha}` },
  inputs: { method: 'GET', path: '/api/fila/executor/entradas' },
  input: { method: 'GET', path: `/api/fila/executor/entradas/${sha}` },
  beat: { method: 'POST', path: '/api/fila/executor/batida', body: 'estado=a-correr\n', type: 'text/plain' },
  sendLog: { method: 'PUT', path: '/api/fila/executor/registo?desde=0', body: 'x', type: 'text/plain' },
  announce: { method: 'POST', path: '/api/fila/executor/saidas', body: `${shaOfOutput}\t3\tsaida/a/b.txt\n`, type: 'text/plain' },
  send: { method: 'PUT', path: `/api/fila/executor/saidas/${shaOfOutput}?desde=0`, body: 'out', type: 'text/plain' },
  adminList: { method: 'GET', path: '/api/admin/fila' },
  adminRead: { method: 'GET', path: '/api/admin/fila/trabalhos/:id' },
  adminLog: { method: 'GET', path: '/api/admin/fila/trabalhos/:id/registo' },
  adminOutputs: { method: 'GET', path: '/api/admin/fila/trabalhos/:id/saida' },
  adminOutput: { method: 'GET', path: '/api/admin/fila/trabalhos/:id/saida/a/b.txt' },
  adminArchive: { method: 'GET', path: '/api/admin/fila/trabalhos/:id/saidas.tar' },
  adminCancel: { method: 'DELETE', path: '/api/admin/fila/trabalhos/:id' },
} as const satisfies Record<string, Route>;
type Name = keyof typeof routes;

/**
 * `page`: ana's, asking for notas. `elsewhere`: ana's page, asking for relogio. `bia`: another person's page, for notas. `fila`, `salas`, `metricas`, `none`:
 * backends of ana's notas with that scope. `app`: ana's relogio with the scope. `job`: the wrapper of the job. `ended`: a token that was good. `nobody`.
 */
const columns = [
  'page',
  'elsewhere',
  'bia',
  'admin',
  'fila',
  'salas',
  'metricas',
  'none',
  'app',
  'job',
  'otherJob',
  'ended',
  'nobody',
] as const;
type Column = (typeof columns)[number];

const person = [200, 200, 200, 200, 200, 403, 403, 403, 200, 401, 401, 401, 401];
const submitted = [201, 201, 201, 201, 201, 403, 403, 403, 201, 401, 401, 401, 401];
const ofJob = [200, 404, 404, 404, 200, 403, 403, 403, 404, 401, 401, 401, 401];
/** A page has no token of a job; its cookie counts for nothing there. */
const ofWrapper = (right: number, other: number) => [401, 401, 401, 401, 401, 401, 401, 401, 401, right, other, 401, 401];
const ofAdmin = [403, 403, 403, 200, 401, 401, 401, 401, 401, 401, 401, 401, 401];
const expected: { readonly [N in Name]: readonly number[] } = {
  list: person,
  submit: submitted,
  read: ofJob,
  cancel: ofJob,
  log: ofJob,
  outputs: ofJob,
  output: ofJob,
  again: [201, 404, 404, 404, 201, 403, 403, 403, 404, 401, 401, 401, 401],
  archive: ofJob,
  put: person,
  see: person,
  inputs: ofWrapper(200, 200),
  input: ofWrapper(200, 404),
  beat: ofWrapper(204, 204),
  sendLog: ofWrapper(200, 200),
  announce: ofWrapper(200, 200),
  send: ofWrapper(200, 404),
  adminList: ofAdmin,
  adminRead: ofAdmin,
  adminLog: ofAdmin,
  adminOutputs: ofAdmin,
  adminOutput: ofAdmin,
  adminArchive: ofAdmin,
  // A change without an origin is no page's, whatever it carries.
  adminCancel: [403, 403, 403, 200, 403, 403, 403, 403, 403, 403, 403, 403, 401],
};

async function token(usuario: string, app: string, scopes: readonly PortalScope[]): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  await world.store.rooms.putPortalToken({ tokenHash: hashOf(value), usuario, app, scopes, startHash: 's', atMs: 0 });
  return value;
}

const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex');

/** A job of ana's notas with an input, and an output that is there; or of bia's. */
async function job(usuario: string, withOutput: boolean): Promise<{ readonly id: string; readonly token: string }> {
  const { jobs } = world.store;
  const asker = usuario === 'ana' ? ana : bia;
  await send(asker, { ...routes.put, path: `${routes.put.path}&app=notas` }, '');
  const id = newJobId();
  const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 1, memoriaMb: 1, segundos: 1, gpus: 0 } };
  const inputs = usuario === 'ana' ? [{ caminho: 'entrada/a', sha }] : [];
  const made = await jobs.submitJob(
    { id, usuario, app: 'notas', chave: id, nome: '', cluster: 'local', createdAtMs: 0, request, inputs },
    { ofPerson: 10_000 },
  );
  if (made.kind !== 'new') throw new Error(made.kind);
  const value = randomBytes(32).toString('base64url');
  await jobs.noteAttempt(id, 0, { tokenHash: hashOf(value), engine: 'e' });
  if (withOutput) {
    const answers = [await send(value, routes.announce, id), await send(value, routes.send, id)];
    if (answers.some(({ status }) => status !== 200)) throw new Error('the output did not get there');
  }
  return { id, token: value };
}

type Asker = Browser | string;

/** A browser asks as a page, a string is a bearer token. */
async function send(asker: Asker, { method, path, body, type }: Route, id: string): Promise<Answer> {
  const target = path.replace(':id', id);
  const content = body === undefined ? {} : { body };
  const kind = type === undefined ? {} : { 'content-type': type };
  if (typeof asker === 'string') {
    const headers = { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${asker}`, ...kind };
    return await world.browser().request(target, { method, headers, ...content });
  }
  return await asker.request(target, { method, headers: { origin: world.url, 'sec-fetch-site': 'same-origin', ...kind }, ...content });
}

async function asker(column: Column, own: string): Promise<Asker> {
  if (column === 'page' || column === 'elsewhere') return ana;
  if (column === 'bia') return bia;
  if (column === 'admin') return admin;
  if (column === 'fila' || column === 'salas' || column === 'metricas') return await token('ana', 'notas', [column]);
  if (column === 'none') return await token('ana', 'notas', []);
  if (column === 'app') return await token('ana', 'relogio', ['fila']);
  if (column === 'job') return own;
  if (column === 'otherJob') return (await job('bia', false)).token;
  if (column === 'nobody') return world.browser();
  const ended = await token('ana', 'notas', ['fila', 'salas']);
  await world.store.rooms.keepPortalTokens('ana', 'notas', null);
  return ended;
}

const appOf: Readonly<Partial<Record<Column, string>>> = { page: 'notas', elsewhere: 'relogio', bia: 'notas', admin: 'notas' };

function withApp(route: Route, column: Column): Route {
  const app = appOf[column];
  const asks = app !== undefined && !route.path.startsWith('/api/fila/executor') && !route.path.startsWith('/api/admin');
  return asks ? { ...route, path: `${route.path}${route.path.includes('?') ? '&' : '?'}app=${app}` } : route;
}

let sequence = 0;
describe.for(Object.keys(routes) as Name[])('%s', (name) => {
  test.for(columns.map((column, index) => [column, expected[name][index]] as const))('%s: %i', async ([column, status]) => {
    const own = await job('ana', name === 'output' || name === 'adminOutput' || name === 'send');
    sequence += 1;
    const body = JSON.stringify({ chave: `k${sequence}`, ...(name === 'submit' && { comando: ['true'] }) });
    const route: Route = name === 'submit' || name === 'again' ? { ...routes[name], body } : routes[name];
    const answer = await send(await asker(column, own.token), withApp(route, column), own.id);
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
    const isOthers = name === 'list' && column !== 'page' && column !== 'fila';
    expect(isOthers && answer.text.includes(own.id)).toBe(false);
  });
});

test('a job that has its outcome opens nothing by its token any more', async () => {
  const own = await job('ana', false);
  const outcome = { estado: 'terminado', reason: 'JobDone', message: '', codigo: 0, iniciadoEm: null, terminadoEm: 1 } as const;
  await world.store.jobs.settleJob(own.id, outcome, { atMs: 1, expiresAtMs: 2 });
  for (const name of ['inputs', 'input', 'beat', 'sendLog', 'announce', 'send'] as const)
    expect((await send(own.token, routes[name], own.id)).status).toBe(401);
});

test('pages of other origins may neither read nor change', async () => {
  const { id } = await job('ana', false);
  for (const origin of [`http://notas.${world.host}`, 'https://evil.example', 'null']) {
    for (const route of [routes.read, routes.cancel, routes.submit, routes.put] as const) {
      const path = `${(route as Route).path.replace(':id', id)}${route === routes.put ? '&' : '?'}app=notas`;
      const { body } = route as Route;
      const answer = await ana.request(path, {
        method: route.method,
        headers: { origin, 'sec-fetch-site': 'same-site', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.json().code).toBe('CROSS_ORIGIN');
    }
  }
});

test('an app that does not declare the queue gets none of it, and is told why', async () => {
  const other = await createPortalWorld();
  try {
    const page = await other.signedIn('ana');
    expect((await page.call('GET', '/api/fila?app=notas')).json()).toMatchObject({
      disponivel: false,
      codigo: 'SEM_ESCOPO',
      motivo: expect.stringContaining('recursos.fila'),
    });
    expect((await page.call('POST', '/api/fila/trabalhos?app=notas', { chave: 'a', comando: ['x'] })).status).toBe(403);
  } finally {
    await other.close();
  }
});

test('a manifest that was not read yet is no manifest without the queue: ask again, and the jobs are there', async () => {
  const own = await job('ana', false);
  world.world.packagesRead = false;
  try {
    const answer = await ana.call('GET', '/api/fila?app=notas');
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { disponivel: false, codigo: 'NAO_LIDO', motivo: expect.stringContaining('ainda não') },
    ]);
    expect((await ana.call('GET', `/api/fila/trabalhos/${own.id}?app=notas`)).status).toBe(200);
    expect((await ana.call('POST', '/api/fila/trabalhos?app=notas', { chave: 'later', comando: ['x'] })).json()).toMatchObject({
      status: 503,
      code: 'SERVER_UNREACHABLE',
    });
  } finally {
    world.world.packagesRead = true;
  }
  expect((await ana.call('GET', '/api/fila?app=nada')).json()).toMatchObject({ disponivel: false, codigo: 'SEM_APP' });
  expect((await ana.call('POST', '/api/fila/trabalhos?app=nada', { chave: 'n', comando: ['x'] })).status).toBe(404);
});

test('no token is ever logged or answered', async () => {
  const own = await job('ana', true);
  expect(world.logLines.join('')).not.toContain(own.token);
  expect(Buffer.concat(world.received).toString()).not.toContain(own.token);
});
