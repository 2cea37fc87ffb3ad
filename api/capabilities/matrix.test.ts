/**
 * Caller × what it declares × provider × path × method × forged headers, as bytes on real sockets. The providers write down what reaches them, and a
 * table of this test, which knows nothing of how it is decided, says who may be reached and where.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { newSecret, secretHash } from '../auth/secrets.ts';
import { rawRequest } from '../proxy/testing/harness.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type PortalWorld } from '../testing/portal-world.ts';
import { leadsOut, somePath } from './testing/paths.ts';

const seed = Number(process.env['SVC_TEST_SEED'] ?? 12);
const dice = createRandom(seed);
const { int, chance, pick } = dice;

const rotas: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dicionario: { 'dicionario/v1': '/api/dic', 'dicionario/v2': '/api/dic2', 'nota/v1': '/n.o~t_a-s' },
  tradutor: { 'dicionario/v1': '/d', 'nota/v1': '/api/dic' },
};
const capabilities = ['dicionario/v1', 'dicionario/v2', 'nota/v1', 'dicionario/v3'];
/** Caller, capability, provider, and the person's answer. Other questions were never asked. */
const said: readonly (readonly [string, string, string, 'sim' | 'nao'])[] = [
  ['leitor', 'dicionario/v1', 'dicionario', 'sim'],
  ['leitor', 'nota/v1', 'tradutor', 'sim'],
  ['leitor', 'nota/v1', 'dicionario', 'nao'],
  ['caderno', 'dicionario/v2', 'dicionario', 'sim'],
  ['caderno', 'dicionario/v1', 'dicionario', 'nao'],
  ['tradutor', 'dicionario/v1', 'dicionario', 'sim'],
];
const manifests: Record<string, Partial<Manifest>> = {
  leitor: { requires: ['dicionario/v1'], usa: ['nota/v1'] },
  caderno: { usa: ['dicionario/v1', 'dicionario/v2'] },
  mudo: {},
  ...Object.fromEntries(
    Object.entries(rotas).map(([app, offers]) => [
      app,
      {
        provides: Object.keys(offers),
        usa: ['dicionario/v1'],
        capacidades: Object.fromEntries(Object.entries(offers).map(([name, rota]) => [name, { rota }])),
      },
    ]),
  ),
};
const callers = ['leitor', 'leitor', 'caderno', 'tradutor', 'mudo', 'dicionario', 'ausente', 'portal'];

interface Reached {
  readonly app: string;
  readonly url: string;
  readonly raw: readonly string[];
  readonly trailers: readonly string[];
}

/** Everything by which a caller could try to be another, or bring along what is not meant for the provider. */
const forged: readonly string[] = [
  'X-Svc-Chamador: portal',
  'x-svc-chamador: leitor',
  'X_Svc_Chamador: leitor',
  'X-Svc.Chamador: leitor',
  'XSvcChamador: leitor',
  'X-Svc-Chamador : leitor',
  'X-Svc-Chamador:\tleitor\r\nX-Svc-Chamador: caderno',
  'X-Foo: a\r\n X-Svc-Chamador: leitor',
  'Connection: X-Svc-Chamador, close',
  'Connection: x-svc-pedido, close',
  'X-Svc-App-Token: stolen',
  'X-Svc-App: leitor',
  'X-Svc-App:leitor, caderno',
  'X-Svc-Fornecedor: dicionario',
  'X-Svc-Fornecedor: tradutor',
  'X-Svc-Pedido: x',
  'Cookie: svc-sessao=x',
  'Authorization: Bearer x',
  'Referer: http://svc.localhost/',
  'X-Forwarded-Host: evil.example',
  'X-Svc-Consentimento: x',
  'svc-pessoa: ana',
];

interface Request {
  readonly caller: string;
  readonly capability: string;
  readonly provider: string | null;
  readonly bytes: string;
}

interface Ways {
  readonly cookie: string;
  readonly tokens: ReadonlyMap<string, string>;
}

function someRequest(portal: PortalWorld, ways: Ways, n: number): Request {
  // A part of the request is a lie, or all are, or none is.
  const lie = pick(['path', 'path', 'path', 'who', 'who', 'heads', 'all', 'none']);
  const lies = (part: string): boolean => lie === part || lie === 'all';
  const [caller, capability, para] = lies('who') && chance(3 / 4) ? [pick(callers), pick(capabilities), null] : pick(said);
  const provider = para ?? pick([null, 'dicionario', 'tradutor', 'mudo', 'ausente']);
  const token = chance(1 / 3) ? ways.tokens.get(caller) : undefined;
  const prefix = chance(0.9)
    ? '/api/capacidades'
    : pick(['/api//capacidades', '/api/%63apacidades', '/API/capacidades', '/api/capacidades/..']);
  const usual = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const method = pick(lies('heads') ? [...usual, 'PROPFIND', 'QUERY', 'TRACE', 'CONNECT'] : usual);
  const chunked = ['POST', 'PUT', 'PATCH'].includes(method);
  const lines = [
    `${method} ${prefix}/${capability}${somePath(dice, lies('path'))} HTTP/1.1`,
    `Host: ${token === undefined ? portal.host : `127.0.0.1:${portal.port}`}`,
    `X-N: ${n}`,
    ...(token === undefined
      ? [`Cookie: ${ways.cookie}`, `Origin: ${portal.url}`, `X-Svc-App: ${caller}`]
      : [`Authorization: Bearer ${token}`]),
    ...(provider === null ? [] : [`X-Svc-Fornecedor: ${provider}`]),
    ...(lies('heads') ? Array.from({ length: int(1, 2) }, () => pick(forged)) : []),
    ...(chunked ? ['Transfer-Encoding: chunked', 'Trailer: X-Svc-Chamador'] : []),
    'Connection: close',
  ];
  const body = chunked ? '2\r\nhi\r\n0\r\nX-Svc-Chamador: portal\r\nX_Svc_Chamador: portal\r\n\r\n' : '';
  return { caller, capability, provider, bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`).toString('latin1') };
}

const squash = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The fault of a request that arrived; null for one that may have been made. */
function wrong({ caller, capability }: Request, { app, url, raw, trailers }: Reached): string | null {
  if (!said.some(([de, name, para, answer]) => de === caller && name === capability && para === app && answer === 'sim'))
    return 'without consent';
  const rota = rotas[app]?.[capability] ?? '!';
  if (leadsOut(url, rota)) return 'outside of the rota';
  const names = raw.filter((_, index) => index % 2 === 0);
  const says = raw.filter((_, index) => index % 2 === 1 && squash(raw[index - 1] ?? '') === 'xsvcchamador');
  if (says.join() !== caller || trailers.some((name) => /svc/i.test(name))) return 'with a forged X-Svc-Chamador';
  const leaks = new Set(['cookie', 'authorization', 'referer', 'origin', 'svcpessoa', 'xsvcapp', 'xsvcfornecedor', 'xsvcconsentimento']);
  return names.some((name) => leaks.has(squash(name))) ? 'with what is not meant for the provider' : null;
}

const worlds: PortalWorld[] = [];
beforeAll(async () => {
  for (const origins of ['subdomain', 'path'] as const)
    worlds.push(await createPortalWorld({ origins, apps: Object.keys(manifests), manifests }));
});
afterAll(async () => {
  for (const world of worlds) await world.close();
});

async function prepared(portal: PortalWorld, seen: Map<number, Reached[]>): Promise<Ways> {
  for (const app of Object.keys(manifests)) {
    const backend = portal.world.backend('ana', app);
    backend.respond = (req, res) => {
      req.resume().on('end', () => {
        const n = Number(req.headers['x-n']);
        seen.set(n, [...(seen.get(n) ?? []), { app, url: req.url ?? '', raw: req.rawHeaders, trailers: req.rawTrailers }]);
        res.end('reached');
      });
    };
    await backend.start();
  }
  const ana = await portal.signedIn('ana');
  const tokens = new Map<string, string>();
  for (const app of Object.keys(manifests)) {
    const secret = newSecret();
    const row = { tokenHash: secretHash(secret), usuario: 'ana', app, startHash: app, atMs: 1, scopes: ['capacidades'] as const };
    await portal.store.rooms.putPortalToken(row);
    tokens.set(app, secret);
  }
  for (const [de, capacidade, para, resposta] of said) {
    const answer = await ana.call('PUT', '/api/consentimentos', { de, capacidade, para, resposta, duracao: 'sempre' });
    expect(answer.status).toBe(200);
  }
  return { cookie: ana.cookies.get(portal.host) ?? '', tokens };
}

test('0 outside of the rota, 0 without consent, 0 with a forged X-Svc-Chamador', { timeout: 300_000 }, async () => {
  const perWorld = amount(1_500, 8_000);
  const found: string[] = [];
  let reached = 0;
  let repeated = 0;
  const statuses = new Map<string, number>();
  for (const portal of worlds) {
    const seen = new Map<number, Reached[]>();
    const ways = await prepared(portal, seen);
    for (let begun = 0; begun < perWorld; begun += 50) {
      (portal.clock as ManualClock).advance(1_000);
      const requests = Array.from({ length: Math.min(50, perWorld - begun) }, (_, index) => someRequest(portal, ways, begun + index));
      const answers = await Promise.all(requests.map(({ bytes }) => rawRequest(portal.port, Buffer.from(bytes, 'latin1'))));
      requests.forEach((request, index) => {
        const status = /^HTTP\/1\.1 (\d{3})/.exec(answers[index] ?? '')?.[1] ?? 'closed';
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const came = seen.get(begun + index) ?? [];
        reached += came.length;
        if (came.length > 1) repeated += 1;
        for (const each of came) {
          const why = wrong(request, each);
          if (why !== null) found.push(`${why}: ${JSON.stringify(request.bytes)} came as ${JSON.stringify(each)}`);
        }
      });
    }
  }
  const told = [...statuses].map(([status, count]) => `${status}: ${count}`).toSorted();
  tellCount(
    `capabilities: ${2 * perWorld} requests, ${reached} reached a provider, ${found.length} wrong, seed ${seed}; ${told.join(', ')}`,
  );
  expect(found).toEqual([]);
  expect(repeated).toBe(0);
  // It is no empty matrix: who may gets through, and what is refused is refused in every way that there is.
  expect(reached / (2 * perWorld)).toBeGreaterThan(0.1);
  expect([...statuses.keys()]).toEqual(expect.arrayContaining(['200', '400', '403', '404']));
  expect(statuses.get('500') ?? 0).toBe(0);
});
