/** Capability calls over real sockets: who may, whom, after which answer of the person, and what both sides get to see. */
import http from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { secretHash, newSecret } from '../auth/secrets.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { limits } from './limits.ts';

const capability = 'dicionario/v1';
const offer = { provides: [capability], capacidades: { [capability]: { rota: '/api/dic', rotulo: 'Dicionário livre' } } };
const url = '/api/capacidades/dicionario/v1';

let manifests: Record<string, Partial<Manifest>>;
let portal: PortalWorld;
let ana: Browser;

beforeEach(async () => {
  manifests = {
    leitor: { requires: [capability] },
    notas: { usa: [capability] },
    mudo: {},
    dicionario: offer,
    leigo: { usa: ['nada/v1'] },
  };
  portal = await createPortalWorld({ apps: Object.keys(manifests), manifests });
  await portal.world.backend('ana', 'dicionario').start();
  ana = await portal.signedIn('ana');
});
afterEach(() => portal.close());

const page = (more: Record<string, string> = {}) => ({
  origin: portal.url,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'x-svc-app': 'leitor',
  ...more,
});
const call = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Answer> =>
  ana.request(url + path, { method, headers: page(headers), ...(body === undefined ? {} : { body }) });
const say = async (resposta: 'sim' | 'nao', more: object = {}): Promise<Answer> => {
  const body = { de: 'leitor', para: 'dicionario', capacidade: capability, resposta, duracao: 'sempre', ...more };
  return ana.call('PUT', '/api/consentimentos', body);
};
const refusal = (answer: Answer): readonly unknown[] => [answer.status, answer.json()['code'], answer.headers['x-svc-fornecedor']];
const provider = () => portal.world.backend('ana', 'dicionario');

/** A backend's call, by address. */
async function backendCall(app: string, path: string, { scopes = ['capacidades'] as const, headers = {} } = {}): Promise<Answer> {
  const secret = newSecret();
  const row = { usuario: 'ana', app, startHash: app, atMs: 1, scopes };
  await portal.store.rooms.putPortalToken({ ...row, tokenHash: secretHash(secret) });
  const all = { host: `127.0.0.1:${portal.port}`, authorization: `Bearer ${secret}`, ...headers };
  return portal.browser().request(url + path, { headers: all });
}

describe('the loader of an engine', () => {
  const itself = { 'x-svc-app': 'dicionario', 'x-svc-fornecedor': 'dicionario' };

  test('asks its own backend without a declaration and without consent, and starts it', async () => {
    manifests['dicionario'] = { ...offer, type: 'engine', engine: { loader: 'voz.js' } };
    const answer = await call('/x', itself);
    expect([answer.status, answer.text, provider().seen[0]?.headers['x-svc-chamador']]).toEqual([
      200,
      'ana/dicionario GET /api/dic/x\n',
      'dicionario',
    ]);
    expect(refusal(await call('/../x', itself)).slice(0, 2)).toEqual([400, 'PATH_REFUSED']);
    expect((await call('/x', { ...itself, 'x-svc-app': 'leitor' })).json()['code']).toBe('CONSENT_NEEDED');
  });

  test('an app without one does not, and no backend asks itself', async () => {
    expect((await call('/x', itself)).json()['code']).toBe('CAPABILITY_UNDECLARED');
    manifests['dicionario'] = { ...offer, type: 'engine', engine: { loader: 'voz.js' } };
    const answer = await backendCall('dicionario', '/x', { headers: { 'x-svc-fornecedor': 'dicionario' } });
    expect(answer.json()['code']).toBe('CAPABILITY_UNDECLARED');
  });
});

describe('who may ask whom', () => {
  test('trailers of a call do not reach the provider', async () => {
    await say('sim');
    const secret = newSecret();
    const row = { usuario: 'ana', app: 'leitor', startHash: 'leitor', atMs: 1, scopes: ['capacidades'] as const };
    await portal.store.rooms.putPortalToken({ ...row, tokenHash: secretHash(secret) });
    const headers = { authorization: `Bearer ${secret}`, 'transfer-encoding': 'chunked', trailer: 'X-Soma, X-HTTP-Method-Override' };
    const req = http.request({ host: '127.0.0.1', port: portal.port, path: `${url}/x`, method: 'POST', headers });
    req.write('corpo');
    req.addTrailers({ 'X-Soma': '1', 'X-HTTP-Method-Override': 'DELETE' });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      req.once('error', reject).once('response', (answer) => answer.resume().once('end', () => resolve(answer.statusCode)));
      req.end();
    });
    const [seen] = provider().seen;
    expect([status, seen?.method, seen?.headers.trailer, seen?.rawTrailers]).toEqual([200, 'POST', undefined, []]);
  });

  test('an app that declares it, once the person said yes; the provider learns which app asks and nothing else', async () => {
    await say('sim');
    const believed = ['X-Original-URL', 'X-Rewrite-URL', 'X-HTTP-Method-Override', 'X_HTTP_Method', 'X-Method-Override', 'X-Original-Host'];
    const hops = Object.fromEntries([...believed, 'X-Forwarded-For', 'X-Svc-Chamador'].map((name) => [name, '/admin']));
    const headersOf = { 'svc-pessoa': 'ana', referer: `${portal.url}/x`, 'x-meu': '1', ...hops };
    const answer = await call('/verbete?p=a%20b', headersOf, 'POST', 'corpo');
    expect([answer.status, answer.text]).toEqual([200, 'ana/dicionario POST /api/dic/verbete?p=a%20b\ncorpo']);
    expect(answer.headers['x-svc-fornecedor']).toBe('dicionario');
    const { headers } = provider().seen[0]!;
    expect(headers).toMatchObject({ 'x-svc-chamador': 'leitor', 'x-meu': '1', host: portal.appHost('dicionario') });
    const secretive = new Set([
      'cookie',
      'authorization',
      'origin',
      'referer',
      'svc-pessoa',
      'x-svc-app',
      'sec-fetch-site',
      'sec-fetch-mode',
    ]);
    expect(Object.keys(headers).filter((name) => secretive.has(name))).toEqual([]);
    expect(Object.entries(headers).filter(([, value]) => value === '/admin')).toEqual([]);
  });

  test('who declares nothing (mudo) or something else (leigo), only provides it (dicionario) or is not installed (ausente) is refused', async () => {
    for (const app of ['mudo', 'leigo', 'dicionario', 'ausente'])
      for (const path of ['', '/verbete'])
        expect([app, ...refusal(await call(path, { 'x-svc-app': app }))]).toEqual([app, 403, 'CAPABILITY_UNDECLARED', undefined]);
    expect(provider().seen).toEqual([]);
  });

  test('a capability that none offers is not found, by its name, and its list is empty', async () => {
    manifests['leitor'] = { usa: ['nada/v1', capability] };
    const answer = await ana.request('/api/capacidades/nada/v1/x', { headers: page() });
    expect([...refusal(answer), answer.json()['capacidade']]).toEqual([404, 'CAPABILITY_UNKNOWN', undefined, 'nada/v1']);
    expect((await ana.request('/api/capacidades/nada/v1', { headers: page() })).json()).toEqual({ ofertas: [] });
    expect((await ana.request('/api/capacidades/dicionario/v2/x', { headers: page() })).json()['code']).toBe('CAPABILITY_UNDECLARED');
  });

  test('who offers half of it, or a path that is none, offers nothing that can be called', async () => {
    for (const manifest of [
      { provides: [capability] },
      { capacidades: offer.capacidades },
      ...['/a/../b', '/', '/a?b=', 7].map((rota) => ({ provides: [capability], capacidades: { [capability]: { rota } } })),
      { provides: ['__proto__/v1'] },
    ]) {
      manifests['dicionario'] = manifest as Partial<Manifest>;
      expect([manifest, ...refusal(await call('/x'))]).toEqual([manifest, 404, 'CAPABILITY_UNKNOWN', undefined]);
      expect([manifest, (await call('')).json()]).toEqual([manifest, { ofertas: [] }]);
    }
  });

  test('the list tells labels and starts nobody; only GET asks for it', async () => {
    provider().become('stopped', 'StoppedByPerson');
    manifests['mudo'] = { ...offer, capacidades: { [capability]: { rota: '/d' } } };
    expect((await call('')).json()).toEqual({
      ofertas: [
        { app: 'dicionario', nome: 'dicionario', rotulo: 'Dicionário livre' },
        { app: 'mudo', nome: 'mudo', rotulo: 'mudo' },
      ],
    });
    expect(await portal.store.intents()).toEqual([]);
    const answer = await call('', {}, 'POST');
    expect([...refusal(answer), answer.headers.allow]).toEqual([405, 'METHOD_NOT_ALLOWED', undefined, 'GET, HEAD']);
  });

  test('of several the person chooses; an app never asks itself', async () => {
    manifests['mudo'] = offer;
    manifests['leitor'] = { requires: [capability], ...offer };
    await say('sim');
    const choice = await call('/x');
    expect(refusal(choice)).toEqual([409, 'PROVIDER_CHOICE', undefined]);
    expect(choice.json()['ofertas'].map(({ app }: { app: string }) => app)).toEqual(['dicionario', 'mudo']);
    expect((await call('/x', { 'x-svc-fornecedor': 'dicionario' })).status).toBe(200);
    expect(refusal(await call('/x', { 'x-svc-fornecedor': 'mudo' }))).toEqual([403, 'CONSENT_NEEDED', undefined]);
    const padroes = async (app: string | null) => (await ana.call('PATCH', '/api/preferencias', { padroes: { [capability]: app } })).status;
    expect(await padroes('dicionario')).toBe(200);
    expect((await call('/x')).headers['x-svc-fornecedor']).toBe('dicionario');
    // Whatever a default app offers, it is asked only where it offers this.
    for (const app of ['notas', 'ausente', 'leitor', null]) {
      await padroes(app);
      expect(refusal(await call('/x'))).toEqual([409, 'PROVIDER_CHOICE', undefined]);
    }
    for (const app of ['leitor', 'leigo', 'a, b', '']) {
      expect(refusal(await call('/x', { 'x-svc-fornecedor': app }))).toEqual([404, 'CAPABILITY_UNKNOWN', undefined]);
    }
  });

  test('nobody else reaches it: no session, another origin, another person, no app named', async () => {
    await say('sim');
    const stranger = await portal.browser().request(`${url}/x`, { headers: page() });
    const foreign = { origin: `http://${portal.appHost('leitor')}`, 'sec-fetch-site': 'same-site' };
    const refused = [
      [stranger, 401, 'UNAUTHENTICATED'],
      [await call('/x', foreign), 403, 'CROSS_ORIGIN'],
      [await call('/x', foreign, 'POST'), 403, 'CROSS_ORIGIN'],
      [await call('/x', { 'svc-pessoa': 'bia' }), 409, 'OTHER_PERSON'],
      [await call('/x', { 'x-svc-app': 'leitor, mudo' }), 400, 'BAD_REQUEST'],
      [await ana.request(`${url}/x`, { headers: { ...page(), 'x-svc-app': '' } }), 400, 'BAD_REQUEST'],
      [await call('/../x'), 400, 'PATH_REFUSED'],
      [await ana.request('/api/capacidades/Dic/v1/x', { headers: page() }), 404, 'NOT_FOUND'],
      [await ana.request('/api/capacidades/dicionario/1/x', { headers: page() }), 404, 'NOT_FOUND'],
      [await ana.request('/api/capacidades/', { headers: page() }), 404, 'NOT_FOUND'],
    ] as const;
    for (const [answer, status, code] of refused) expect(refusal(answer)).toEqual([status, code, undefined]);
    expect(provider().seen).toEqual([]);
  });

  test('of a person it reaches their own backend only', async () => {
    const bia = await portal.signedIn('bia');
    await say('sim');
    expect((await bia.request(`${url}/x`, { headers: page() })).json()['code']).toBe('CONSENT_NEEDED');
  });
});

describe('consent', () => {
  const stored = async () => (await ana.call('GET', '/api/consentimentos')).json()['consentimentos'];

  test('is asked for with what the dialog needs, kept by the answer, and taken back', async () => {
    const first = await call('/x');
    const { de, capacidade, oferta } = first.json();
    expect({ de, capacidade, oferta }).toEqual({
      de: 'leitor',
      capacidade: capability,
      oferta: { app: 'dicionario', nome: 'dicionario', rotulo: 'Dicionário livre' },
    });
    expect(refusal(first)).toEqual([403, 'CONSENT_NEEDED', undefined]);
    const { id, uso } = (await say('sim')).json();
    expect([id, uso]).toEqual([expect.stringMatching(/^[\w-]{22}$/), null]);
    expect((await call('/x')).status).toBe(200);
    const [row] = await stored();
    const named = { de: 'leitor', deNome: 'leitor', para: 'dicionario', paraNome: 'dicionario', rotulo: 'Dicionário livre' };
    expect(row).toEqual({ id, ...named, capacidade: capability, resposta: 'sim', em: portal.clock.nowMs() });
    // A consent says nothing about another app.
    expect(refusal(await call('/x', { 'x-svc-app': 'notas' }))).toEqual([403, 'CONSENT_NEEDED', undefined]);
    expect((await ana.call('DELETE', `/api/consentimentos/${id}`)).status).toBe(204);
    expect((await ana.call('DELETE', `/api/consentimentos/${id}`)).status).toBe(404);
    expect(refusal(await call('/x'))).toEqual([403, 'CONSENT_NEEDED', undefined]);
    await say('nao');
    expect(refusal(await call('/x'))).toEqual([403, 'CONSENT_REFUSED', undefined]);
    expect(provider().seen).toHaveLength(1);
  });

  test('for this once is good for one call of that very question, for a minute', async () => {
    const once = async (): Promise<string> => (await say('sim', { duracao: 'uma-vez' })).json()['uso'];
    const uso = await once();
    const carrying = (value: string, more = {}) => call('/x', { 'x-svc-consentimento': value, ...more });
    const statuses = await Promise.all([carrying(uso), carrying(uso), carrying(uso)]);
    expect(statuses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
    expect(refusal(await carrying(await once(), { 'x-svc-app': 'notas' }))).toEqual([403, 'CONSENT_NEEDED', undefined]);
    const late = await once();
    (portal.clock as ManualClock).advance(60_000);
    expect(refusal(await carrying(late))).toEqual([403, 'CONSENT_NEEDED', undefined]);
    const refused = await once();
    await say('nao');
    expect(refusal(await carrying(refused))).toEqual([403, 'CONSENT_REFUSED', undefined]);
    expect((await stored()).map(({ resposta }: { resposta: string }) => resposta)).toEqual(['nao']);
  });

  test('is given and taken back so often and no more', { tags: ['costly'] }, async () => {
    let [taken, last] = [0, await say('sim')];
    const { id } = last.json();
    for (; last.status === 200 && taken <= limits.consentChangesBurst; taken += 1) last = await say(taken % 2 === 0 ? 'nao' : 'sim');
    expect([taken, last.status, last.json()['code'], last.headers['retry-after']]).toEqual([
      limits.consentChangesBurst,
      429,
      'RATE_LIMITED',
      '1',
    ]);
    expect((await ana.call('DELETE', `/api/consentimentos/${id}`)).status).toBe(429);
    expect(await stored()).toHaveLength(1);
    (portal.clock as ManualClock).advance(limits.consentChangeRefillMs);
    expect((await ana.call('DELETE', `/api/consentimentos/${id}`)).status).toBe(204);
  });

  test('is answered by the person only, for what an app could ask', async () => {
    const body = { de: 'leitor', para: 'dicionario', capacidade: capability, resposta: 'sim', duracao: 'sempre' };
    const put = async (more: object) => (await ana.call('PUT', '/api/consentimentos', { ...body, ...more })).json()['code'];
    expect(await put({ de: 'mudo' })).toBe('CAPABILITY_UNDECLARED');
    expect(await put({ para: 'mudo' })).toBe('CAPABILITY_UNKNOWN');
    expect(await put({ capacidade: 'nada/v1' })).toBe('CAPABILITY_UNDECLARED');
    manifests['leitor'] = { ...offer, requires: [capability] };
    expect(await put({ para: 'leitor' })).toBe('CAPABILITY_UNKNOWN');
    for (const wrong of [{ resposta: 'pendente' }, { duracao: 'hoje' }, { capacidade: 'x' }, { de: '../x' }, { mais: 1 }])
      expect(await put(wrong)).toBe('BAD_REQUEST');
    expect(await put({ resposta: 'nao', duracao: 'uma-vez' })).toBe('BAD_REQUEST');
    const foreign = { origin: `http://${portal.appHost('leitor')}`, 'sec-fetch-site': 'same-site', 'content-type': 'application/json' };
    const forged = await ana.request('/api/consentimentos', { method: 'PUT', headers: foreign, body: JSON.stringify(body) });
    expect(refusal(forged)).toEqual([403, 'CROSS_ORIGIN', undefined]);
    expect((await ana.call('GET', '/api/consentimentos')).json()).toEqual({ consentimentos: [] });
  });
});

describe('a backend', () => {
  test('asks as its app and its person, by its credential alone', async () => {
    await say('sim');
    const answer = await backendCall('leitor', '/x', { headers: { 'x-svc-app': 'notas', 'x-svc-chamador': 'portal' } });
    expect([answer.status, answer.headers['x-svc-fornecedor']]).toEqual([200, 'dicionario']);
    const { headers } = provider().seen[0]!;
    expect([headers['x-svc-chamador'], headers.authorization]).toEqual(['leitor', undefined]);
    expect(refusal(await backendCall('leitor', '/x', { scopes: [] as never }))).toEqual([403, 'FORBIDDEN', undefined]);
    expect(refusal(await call('/x', { authorization: 'Bearer x' }))).toEqual([401, 'UNAUTHENTICATED', undefined]);
  });

  test('can ask nobody for consent: its question is kept, told once and answered in Settings', async () => {
    const told: string[] = [];
    portal.bus.onPublish((person, { type }) => told.push(`${person} ${type}`));
    const uso = (await say('sim', { duracao: 'uma-vez' })).json()['uso'];
    const asking = Array.from({ length: 10 }, () => backendCall('leitor', '/x', { headers: { 'x-svc-consentimento': uso } }));
    for (const answer of await Promise.all(asking)) expect(refusal(answer)).toEqual([403, 'CONSENT_NEEDED', undefined]);
    expect(told).toEqual(['ana consentimentos']);
    const [{ id, resposta }] = (await ana.call('GET', '/api/consentimentos')).json()['consentimentos'];
    expect(resposta).toBe('pendente');
    expect((await say('sim')).json()['id']).toBe(id);
    expect((await backendCall('leitor', '/x')).status).toBe(200);
  });
});

describe('bounds', () => {
  test('so many calls of one app at once, and a bit more later', { tags: ['costly'] }, async () => {
    const statuses = new Map<number, number>();
    for (let index = 0; index < limits.capabilityCallsBurst + 5; index += 1) {
      const { status } = await call('');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([statuses.get(200), statuses.get(429)]).toEqual([limits.capabilityCallsBurst, 5]);
    const refused = await call('');
    expect([refused.json()['code'], refused.headers['retry-after']]).toEqual(['RATE_LIMITED', '1']);
    expect((await call('', { 'x-svc-app': 'notas' })).status).toBe(200);
    (portal.clock as ManualClock).advance(limits.capabilityCallRefillMs);
    expect((await call('')).status).toBe(200);
  });
});

test('refusals are in the log, and in the metrics by one route, and leave nothing under way', async () => {
  for (let index = 0; index <= limits.capabilityCallsMax; index += 1)
    expect((await call(`/x${index}`)).json()['code']).toBe('CONSENT_NEEDED');
  await say('sim');
  expect((await call('/x')).status).toBe(200);
  expect(portal.logLines.filter((line) => line.includes('capability call refused'))).toHaveLength(33);
  const figures = (await portal.control('GET', '/metrics')).text.split('\n').filter((line) => line.includes('capacidades'));
  expect(figures.find((line) => line.includes('_count{'))).toBe(
    'svc_http_request_duration_seconds_count{method="GET",route="/api/capacidades/:nome/:versao/*",status="4xx"} 33',
  );
  expect(figures.every((line) => line.includes('status="4xx"'))).toBe(true);
});

describe('what comes back', () => {
  const answered = async (headers: http.OutgoingHttpHeaders, status = 200): Promise<Answer> => {
    await say('sim');
    provider().respond = (_req, res) => void res.writeHead(status, headers).end('x');
    return call('/a/b?c');
  };

  test('does nothing to the origin on which it arrives', async () => {
    const answer = await answered(
      {
        'content-type': 'text/html',
        'set-cookie': ['a=1', 'svc-sessao=x'],
        'www-authenticate': 'Basic realm="Portal"',
        'clear-site-data': '"*"',
        'strict-transport-security': 'max-age=1',
        'service-worker-allowed': '/',
        'cache-control': 'public, max-age=600',
        'access-control-allow-origin': '*',
        'content-security-policy': 'default-src *',
        'x-svc-fornecedor': 'portal',
        'x-svc-token': 'x',
        refresh: '0; url=//evil.example',
        etag: '"1"',
        'x-total': '7',
      },
      401,
    );
    const { date: _, connection: __, 'keep-alive': ___, 'transfer-encoding': ____, ...headers } = answer.headers;
    expect(headers).toEqual({
      'content-type': 'text/html',
      etag: '"1"',
      'x-total': '7',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'") as string,
      'cross-origin-resource-policy': 'same-origin',
      'x-svc-fornecedor': 'dicionario',
    });
  });

  test('a redirect leads below what the app offers, or nowhere', async () => {
    const redirects = [
      ['/api/dic/z?q', `${url}/z?q`],
      ['z', `${url}/a/z`],
      ['../z', `${url}/z`],
      // Raw bytes of UTF-8: the same letter, not each byte as a letter.
      ['/api/dic/\xc3\xb3', `${url}/%C3%B3`],
      ['http://dicionario.HOST/api/dic/z', `${url}/z`],
      ['/api/dic', null],
      ['/api/dicionario/z', null],
      ['/api/sessao', null],
      ['../../../api/sessao', null],
      ['//evil.example/api/dic/z', null],
      ['http://evil.example/api/dic/z', null],
      ['http://HOST/api/dic/z', null],
      ['/api/dic/%2e%2e/z', null],
      ['/api/dic/a%2f..%2fz', null],
      ['http://[', null],
    ] as const;
    for (const [location, expected] of redirects) {
      const answer = await answered({ location: location.replace('HOST', portal.host) }, 302);
      expect([location, answer.status, answer.headers.location ?? null]).toEqual([location, 302, expected]);
    }
  });
});
