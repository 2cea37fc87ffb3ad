/** `/api/metricas` by every kind of credential, and what becomes of what was sent. Source: rules 2.1, 5, 7, 8. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import type { PortalScope } from '../../store/rooms.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let world: PortalWorld;
let ana: Browser;
beforeAll(async () => {
  const recursos = { metricas: true };
  world = await createPortalWorld({
    apps: ['notas', 'relogio', 'painel'],
    manifests: { notas: { version: '1.2.3', recursos }, painel: { escopo: 'servidor', recursos } },
  });
  ana = await world.signedIn('ana');
});
afterAll(() => world.close());
beforeEach(() => (world.clock as ManualClock).advance(60_000));

let sent = 0;
const batch = (more: object = {}) => ({ origem: 'processo-1', lote: (sent += 1), ...more });
const one = (evento = 'aberta', rotulos = {}) => ({ contadores: [{ evento, rotulos, n: 1 }] });

async function token(usuario: string, app: string, scopes: readonly PortalScope[]): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(value).digest('hex');
  await world.store.rooms.putPortalToken({ tokenHash, usuario, app, scopes, startHash: 's', atMs: 0 });
  return value;
}

/** As a backend on the portal's machine calls it: by address. */
const asBackend = (bearer: string, body: object | null, query = ''): Promise<Answer> =>
  world.browser().request(`/api/metricas${query}`, {
    method: body === null ? 'GET' : 'POST',
    headers: { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
const asPage = (browser: Browser, app: string, body: object | null): Promise<Answer> =>
  browser.call(body === null ? 'GET' : 'POST', `/api/metricas?app=${app}`, body ?? undefined);

const scrape = async (): Promise<readonly string[]> => (await world.control('GET', '/metrics')).text.split('\n');
const valueOf = async (series: string): Promise<number> =>
  Number((await scrape()).find((line) => line.startsWith(`${series} `))?.slice(series.length) ?? 0);

describe.for([['GET'], ['POST']] as const)('%s by credential', ([method]) => {
  const body = () => (method === 'GET' ? null : batch(one()));
  test.for<[readonly PortalScope[], number]>([
    [['metricas'], 200],
    [['salas', 'metricas'], 200],
    [['salas'], 403],
    [['fila'], 403],
    [['capacidades'], 403],
    [[], 403],
  ])('a backend with the scopes %o: %i', async ([scopes, status]) => {
    expect((await asBackend(await token('ana', 'notas', scopes), body())).status).toBe(status);
  });

  test('a token that is none, or has ended: 401', async () => {
    const ended = await token('bia', 'notas', ['metricas']);
    await world.store.rooms.keepPortalTokens('bia', 'notas', null);
    for (const bearer of [ended, 'x', 'A'.repeat(43)]) expect((await asBackend(bearer, body())).status).toBe(401);
  });

  test('a backend that names another app: 403; its own: 200', async () => {
    const bearer = await token('ana', 'notas', ['metricas']);
    expect((await asBackend(bearer, body(), '?app=relogio')).status).toBe(403);
    expect((await asBackend(bearer, body(), '?app=notas')).status).toBe(200);
  });

  test('a page: of the app that declares it; of one that does not, of none, of one that was not read yet it is told so; without a session 401, of no app 400', async () => {
    expect((await asPage(ana, 'notas', body())).status).toBe(200);
    const none = method === 'GET' ? { disponivel: false, codigo: 'SEM_ESCOPO' } : { status: 403, code: 'FORBIDDEN' };
    expect((await asPage(ana, 'relogio', body())).json()).toMatchObject(none);
    const gone = method === 'GET' ? { disponivel: false, codigo: 'SEM_APP' } : { status: 404, code: 'NOT_FOUND' };
    expect((await asPage(ana, 'nenhum', body())).json()).toMatchObject(gone);
    // A manifest that was not read yet is not a manifest without the field.
    world.world.packagesRead = false;
    const unread = method === 'GET' ? { disponivel: false, codigo: 'NAO_LIDO' } : { status: 503, code: 'SERVER_UNREACHABLE' };
    expect((await asPage(ana, 'notas', body())).json()).toMatchObject(unread);
    world.world.packagesRead = true;
    expect((await asPage(world.browser(), 'notas', body())).status).toBe(401);
    expect((await ana.call(method, '/api/metricas', body() ?? undefined)).status).toBe(400);
  });

  test('a page of an app’s own origin may not', async () => {
    const headers = { origin: `http://notas.${world.host}`, 'sec-fetch-site': 'same-site', 'content-type': 'application/json' };
    const sentBody = body();
    const answer = await ana.request('/api/metricas?app=notas', {
      method,
      headers,
      ...(sentBody === null ? {} : { body: JSON.stringify(sentBody) }),
    });
    expect(answer.json().code).toBe('CROSS_ORIGIN');
  });
});

test('backend and page count towards the same app, and no person is a label', async () => {
  const bearer = await token('ana', 'notas', ['metricas']);
  const duracoes = [{ evento: 'exportar', rotulos: { formato: 'pdf' }, baldes: [0, 0, 0, 2, 0, 0, 0, 0, 1], soma: 400.5 }];
  await asBackend(bearer, batch({ contadores: [{ evento: 'nova', rotulos: { tipo: 'lista' }, n: 2 }], duracoes }));
  await asPage(ana, 'notas', batch(one('nova', { tipo: 'lista' })));
  expect(await valueOf('svc_app_events_total{app="notas",event="nova",tipo="lista"}')).toBe(3);
  expect(await valueOf('svc_app_event_duration_seconds_count{app="notas",event="exportar",formato="pdf"}')).toBe(3);
  expect(await valueOf('svc_app_event_duration_seconds_sum{app="notas",event="exportar",formato="pdf"}')).toBe(400.5);
  expect((await scrape()).filter((line) => /^svc_app.*\b(?:ana|bia)\b/.test(line))).toEqual([]);
});

test('a batch that is sent again is counted once, also after later ones, for each sender', async () => {
  const bearer = await token('ana', 'notas', ['metricas']);
  const first = batch(one('repetida'));
  for (const body of [first, first, batch(one('repetida')), first]) expect((await asBackend(bearer, body)).status).toBe(200);
  expect(await valueOf('svc_app_events_total{app="notas",event="repetida"}')).toBe(2);
  await asBackend(bearer, { ...first, origem: 'processo-2' });
  expect(await valueOf('svc_app_events_total{app="notas",event="repetida"}')).toBe(3);
});

test('what is refused is told with its reason, is counted by reason, and costs nothing else of the batch', async () => {
  const answer = await asPage(
    ana,
    'notas',
    batch({
      contadores: [
        { evento: 'boa', n: 1 },
        { evento: 'boa', rotulos: { de: 'bia@example.org' }, n: 2 },
        { evento: 'boa', rotulos: { de: 'Ana Souza' }, n: 3 },
        { evento: 'boa', rotulos: { de: '550e8400-e29b-41d4-a716-446655440000' }, n: 4 },
        { evento: 'boa', rotulos: { 'a-b': 'x' }, n: 5 },
        { evento: 'boa', n: -1 },
      ],
      descartados: { series: 6 },
    }),
  );
  expect(answer.json().recusados.map(({ motivo, n }: { motivo: string; n: number }) => [motivo, n])).toEqual([
    ['email', 2],
    ['pessoa', 3],
    ['identificador', 4],
    ['rotulo', 5],
    ['valor', -1],
  ]);
  expect(await valueOf('svc_app_events_total{app="notas",event="boa"}')).toBe(1);
  const refused = (await scrape()).filter((line) => line.startsWith('svc_app_events_refused_total{app="notas"'));
  expect(refused.join('\n')).toContain('reason="pessoa"} 3');
  expect(refused.join('\n')).toContain('reason="series"} 6');
});

test.for([
  ['no sender', { lote: 1 }],
  ['an unknown field', { origem: 'processo-1', lote: 1, usuario: 'ana' }],
  ['buckets of others', { origem: 'processo-1', lote: 1, duracoes: [{ evento: 'x', baldes: [1], soma: 1 }] }],
  ['a label that is no text', { origem: 'processo-1', lote: 1, contadores: [{ evento: 'x', rotulos: { a: 1 }, n: 1 }] }],
  ['a list', []],
] as const)('%s: 400', async ([, body]) => {
  expect((await asPage(ana, 'notas', body)).status).toBe(400);
});

test('too many at once: 429 with the wait, for this app of this person only', async () => {
  const answers: Answer[] = [];
  for (let n = 0; n < 70; n += 1) answers.push(await asPage(ana, 'notas', batch(one())));
  expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(10);
  expect(answers.at(-1)?.json().retryAfterMs).toBeGreaterThan(0);
  expect((await asBackend(await token('bia', 'notas', ['metricas']), batch(one()))).status).toBe(200);
});

describe('errors', () => {
  const error = (mensagem: string, pilha: string, n = 1) => ({ tipo: 'ValueError', mensagem, pilha, n });

  test('the same stack is one group: its last message, release and count, for its person and for admins', async () => {
    const bearer = await token('ana', 'notas', ['metricas']);
    await asBackend(bearer, batch({ versao: '1.2.2', erros: [error('linha 3', 'at a (b.py:1)', 2), error('outro', 'at c (d.py:9)')] }));
    (world.clock as ManualClock).advance(1_000);
    await asPage(ana, 'notas', batch({ erros: [error('linha 4', 'at a (b.py:1)')] }));
    const { erros } = (await ana.call('GET', '/api/apps/notas/erros')).json();
    expect(erros).toHaveLength(2);
    expect(erros[0]).toMatchObject({
      tipo: 'ValueError',
      mensagem: 'linha 4',
      pilha: 'at a (b.py:1)',
      n: 3,
      versao: '1.2.3',
      de: 'pagina',
    });
    expect(erros[0].ultimoEm - erros[0].primeiroEm).toBe(1_000);
    expect(erros[1]).toMatchObject({ mensagem: 'outro', n: 1, versao: '1.2.2', de: 'backend' });
    expect(Object.keys(erros[0])).not.toContain('usuario');
    expect((await world.control('GET', '/api/admin/backends/ana/notas/errors')).json().erros).toEqual(erros);
    const bia = await world.signedIn('bia');
    expect((await bia.call('GET', '/api/apps/notas/erros')).json()).toEqual({ erros: [] });
    expect((await bia.call('GET', '/api/admin/backends/ana/notas/errors')).status).toBe(403);
  });

  test('what a backend of everybody reports for itself, admins alone see', async () => {
    const bearer = await token('@casa', 'painel', ['metricas']);
    const counted = { ...one('visto'), erros: [error('de todos', 'at p (q.py:1)')] };
    expect((await asBackend(bearer, batch(counted))).status).toBe(200);
    expect(await valueOf('svc_app_events_total{app="painel",event="visto"}')).toBe(1);
    expect((await ana.call('GET', '/api/apps/painel/erros')).json()).toEqual({ erros: [] });
    expect((await world.control('GET', '/api/admin/backends/ana/painel/errors')).json().erros).toMatchObject([{ mensagem: 'de todos' }]);
    expect((await asBackend(await token('@casa', 'painel', ['salas']), batch(one()))).status).toBe(403);
  });

  test('the environment log has each group with its stack, release and count, and no line for each time', async () => {
    world.logLines.length = 0;
    for (let n = 0; n < 25; n += 1) await asPage(ana, 'notas', batch({ erros: [error(`vez ${n}`, 'at laço (e.js:7)')] }));
    const lines = world.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'error of an app');
    expect(lines.map(({ count, pilha }) => [count, pilha])).toEqual([
      [1, 'at laço (e.js:7)'],
      [10, undefined],
    ]);
    expect(lines[0]).toMatchObject({ app: 'notas', person: 'ana', versao: '1.2.3', tipo: 'ValueError', mensagem: 'vez 0' });
  });
});

test('a batch whose errors could not be stored is taken when it is sent again, whole and once', async () => {
  const bearer = await token('bia', 'notas', ['metricas']);
  const erro = { tipo: 'ValueError', mensagem: 'm', pilha: 'em guardar', n: 1 };
  const body = batch({ ...one('guardada'), erros: [erro] });
  const { addAppErrors } = world.store;
  const failing = Promise.withResolvers<readonly number[]>();
  let asked = 0;
  world.store.addAppErrors = () => {
    asked += 1;
    return failing.promise;
  };
  // The second comes while the first one waits for the store.
  const both = [asBackend(bearer, body), asBackend(bearer, body)];
  await expect.poll(() => asked).toBe(1);
  failing.reject(new SvcError('STORE_FAILED', 'the disk is full'));
  expect((await both[0])?.status).toBe(500);
  world.store.addAppErrors = addAppErrors;
  await both[1];
  for (let n = 0; n < 2; n += 1) expect((await asBackend(bearer, body)).status).toBe(200);
  expect(await valueOf('svc_app_events_total{app="notas",event="guardada"}')).toBe(1);
  expect((await world.store.appErrors('bia', 'notas')).find(({ pilha }) => pilha === erro.pilha)).toMatchObject({ n: 1 });
});
