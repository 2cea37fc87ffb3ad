/** Capability calls under way: a provider that starts, dies or goes, a person who takes their consent back, apps that flood. */
import { once } from 'node:events';
import http from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { newSecret, secretHash } from '../auth/secrets.ts';
import type { Store } from '../../store/store.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';
import { limits } from './limits.ts';

const capability = 'dicionario/v1';
const offer = { provides: [capability], capacidades: { [capability]: { rota: '/api/dic' } } };
const prefix = '/api/capacidades/dicionario/v1';

let manifests: Record<string, Partial<Manifest>>;
let portal: PortalWorld;
let store: { -readonly [Name in keyof Store]: Store[Name] };
let ana: Browser;
const open = new Set<http.ClientRequest>();

beforeEach(async () => {
  manifests = { leitor: { requires: [capability] }, dicionario: { ...offer, usa: ['leitura/v1'] }, notas: { usa: [capability] } };
  store = createMemoryStore();
  portal = await createPortalWorld({ apps: Object.keys(manifests), manifests, store });
  ana = await portal.signedIn('ana');
  await say('leitor', 'dicionario', capability);
});
afterEach(async () => {
  for (const req of open) req.destroy();
  open.clear();
  await portal.close();
});

const provider = () => portal.world.backend('ana', 'dicionario');

async function say(de: string, para: string, capacidade: string, resposta = 'sim'): Promise<string> {
  return (await ana.call('PUT', '/api/consentimentos', { de, para, capacidade, resposta, duracao: 'sempre' })).json()['id'];
}

interface Streamed {
  readonly req: http.ClientRequest;
  /** Head of the answer; null when the connection broke before. */
  readonly head: Promise<http.IncomingMessage | null>;
  /** The bytes until the end; `cut` when the connection broke. */
  readonly body: Promise<{ readonly text: string; readonly cut: boolean }>;
}

function stream(path: string, headers: Record<string, string> = {}, method = 'GET'): Streamed {
  const all = { host: portal.host, cookie: ana.cookies.get(portal.host) ?? '', origin: portal.url, 'x-svc-app': 'leitor', ...headers };
  const req = http.request({ host: '127.0.0.1', port: portal.port, path: prefix + path, method, agent: false, headers: all });
  open.add(req);
  const head = new Promise<http.IncomingMessage | null>((resolve) => {
    req.once('response', resolve);
    req.once('error', () => resolve(null));
  });
  const body = head.then(async (res) => {
    let text = '';
    if (res === null) return { text, cut: true };
    res.on('error', () => undefined);
    res.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(res, 'close').catch(() => undefined);
    return { text, cut: !res.complete };
  });
  if (method === 'GET') req.end();
  return { req, head, body };
}

const codeOf = async ({ head, body }: Streamed): Promise<readonly unknown[]> => {
  const res = await head;
  return [res?.statusCode, (JSON.parse((await body).text) as { code: string }).code, res?.headers['x-svc-fornecedor']];
};

/** Answers the head and one line, and never ends; `held` are those without an answer yet. */
function streaming(): { readonly held: http.ServerResponse[] } {
  const held: http.ServerResponse[] = [];
  provider().respond = (req, res) => {
    if (req.url?.endsWith('/hold')) held.push(res);
    else res.writeHead(200, { 'content-type': 'text/plain' }).write('begun\n');
  };
  return { held };
}

/** Begins a call whose answer goes on, and a call that waits for its answer. */
async function two(headers: Record<string, string> = {}): Promise<{ readonly begun: Streamed; readonly waiting: Streamed }> {
  const { held } = streaming();
  const begun = stream('/stream', headers);
  expect((await begun.head)?.statusCode).toBe(200);
  const waiting = stream('/hold', headers);
  await expect.poll(() => held.length).toBe(1);
  return { begun, waiting };
}

async function credential(app: string): Promise<{ readonly headers: Record<string, string>; readonly hash: string }> {
  const secret = newSecret();
  const hash = secretHash(secret);
  await portal.store.rooms.putPortalToken({ tokenHash: hash, usuario: 'ana', app, startHash: app, atMs: 1, scopes: ['capacidades'] });
  return { headers: { host: `127.0.0.1:${portal.port}`, authorization: `Bearer ${secret}`, cookie: '' }, hash };
}

describe('both ways', () => {
  beforeEach(() => provider().start());

  test('bodies stream: the provider has the first part before the second is sent, and the caller its answer', async () => {
    const call = stream('/echo', { 'content-type': 'text/plain' }, 'POST');
    call.req.write('one ');
    const res = await call.head;
    const [first] = (await once(res!, 'data')) as [Buffer];
    expect(first.toString()).toContain('POST /api/dic/echo');
    call.req.end('two');
    expect(await call.body).toEqual({ text: 'ana/dicionario POST /api/dic/echo\none two', cut: false });
  });

  test('a caller that leaves ends the request at the provider', async () => {
    const { held } = streaming();
    const call = stream('/hold');
    await expect.poll(() => held.length).toBe(1);
    call.req.destroy();
    await expect.poll(() => held[0]?.destroyed).toBe(true);
  });
});

describe('ends at once', () => {
  beforeEach(() => provider().start());

  test.for([
    [
      'consent that is taken back',
      async (): Promise<void> => void (await ana.call('DELETE', `/api/consentimentos/${await say('leitor', 'dicionario', capability)}`)),
    ],
    ['a no', async (): Promise<void> => void (await say('leitor', 'dicionario', capability, 'nao'))],
  ] as const)('%s', async ([, act]) => {
    const page = await two();
    const backend = await two((await credential('leitor')).headers);
    await act();
    for (const { begun, waiting } of [page, backend]) {
      expect(await codeOf(waiting)).toEqual([403, 'CONSENT_REFUSED', undefined]);
      expect(await begun.body).toEqual({ text: 'begun\n', cut: true });
    }
  });

  test('whenever the consent is taken back: nothing is asked and nothing is answered after that', { timeout: 120_000 }, async () => {
    const seed = Number(process.env['SVC_TEST_SEED'] ?? 3);
    const { int, pick } = createRandom(seed);
    const rounds = amount(60, 1_500);
    const answers = new Set<http.ServerResponse>();
    provider().respond = (req, res) => {
      answers.add(res);
      res.once('close', () => answers.delete(res));
      res.writeHead(200);
      const beat = setInterval(() => res.write('beat\n'), 1);
      res.once('close', () => clearInterval(beat));
      req.resume();
    };
    const { headers } = await credential('leitor');
    const outcomes = { asked: 0, refused: 0 };
    for (let round = 0; round < rounds; round += 1) {
      (portal.clock as ManualClock).advance(1_000);
      const id = await say('leitor', 'dicionario', capability);
      const calls: Streamed[] = [];
      const begin = (): void => void calls.push(stream('/stream', pick([{}, headers])));
      for (let n = int(0, 4); n > 0; n -= 1) begin();
      if (int(0, 1) === 1) await new Promise((resolve) => setTimeout(resolve, int(0, 6)));
      const revoke = pick<() => Promise<unknown>>([
        () => ana.call('DELETE', `/api/consentimentos/${id}`),
        () => say('leitor', 'dicionario', capability, 'nao'),
      ]);
      const revoked = revoke();
      for (let n = int(0, 4); n > 0; n -= 1) begin();
      await revoked;
      const before = provider().seen.length;
      for (const call of calls) await call.body;
      expect(provider().seen.length, `round ${round}, seed ${seed}`).toBe(before);
      await expect.poll(() => answers.size).toBe(0);
      outcomes.asked += before;
      outcomes.refused += calls.length - before;
      provider().seen.length = 0;
    }
    tellCount(
      `capabilities: consent taken back ${rounds} times, ${outcomes.asked} calls cut, ${outcomes.refused} refused, 0 went on, seed ${seed}`,
    );
    expect(Math.min(outcomes.asked, outcomes.refused)).toBeGreaterThan(rounds / 10);
  });

  test('also a call whose consent was read just before', async () => {
    const read = store.consent;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const said: unknown[] = [];
    store.consent = async (asked) => {
      said.push(await read(asked));
      await released;
      return said.at(-1) as 'sim';
    };
    const call = stream('/stream');
    await expect.poll(() => said).toEqual(['sim']);
    await say('leitor', 'dicionario', capability, 'nao');
    release();
    expect(await codeOf(call)).toEqual([403, 'CONSENT_REFUSED', undefined]);
    expect(provider().seen).toEqual([]);
  });

  test('two pages that answer the same question at the same moment: one answer is kept, and every call obeys it', async () => {
    await provider().start();
    for (let round = 0; round < 20; round += 1) {
      const words = round % 2 === 0 ? (['sim', 'nao'] as const) : (['nao', 'sim'] as const);
      const ids = await Promise.all(words.map((word) => say('leitor', 'dicionario', capability, word)));
      const kept = (await ana.call('GET', '/api/consentimentos')).json()['consentimentos'] as { id: string; resposta: string }[];
      expect([new Set(ids).size, kept.length, kept[0]?.id]).toEqual([1, 1, ids[0]]);
      const res = await stream('/x').head;
      expect([res?.statusCode, res?.headers['x-svc-fornecedor']]).toEqual(
        kept[0]?.resposta === 'sim' ? [200, 'dicionario'] : [403, undefined],
      );
    }
  });

  test('and no call of another question does', async () => {
    await say('notas', 'dicionario', capability);
    const { begun } = await two({ 'x-svc-app': 'notas' });
    await say('leitor', 'dicionario', capability, 'nao');
    const still = stream('/stream', { 'x-svc-app': 'notas' });
    expect((await still.head)?.statusCode).toBe(200);
    expect((await begun.head)?.destroyed).toBe(false);
  });

  test.for([
    ['a provider that is removed', () => delete manifests['dicionario']],
    ['a provider whose new version does not offer it', () => (manifests['dicionario'] = { provides: ['dicionario/v2'] })],
    ['a caller whose new version does not declare it', () => (manifests['leitor'] = {})],
  ] as const)('%s', async ([, change]) => {
    const { begun, waiting } = await two();
    change();
    portal.bus.publish('ana', { type: 'apps-changed' });
    expect(await codeOf(waiting)).toEqual([404, 'CAPABILITY_UNKNOWN', undefined]);
    expect(await begun.body).toEqual({ text: 'begun\n', cut: true });
  });

  test('a change of other apps ends nothing', async () => {
    const { begun } = await two();
    delete manifests['notas'];
    portal.bus.publish('ana', { type: 'apps-changed' });
    expect((await stream('/stream').head)?.statusCode).toBe(200);
    expect((await begun.head)?.destroyed).toBe(false);
  });

  test('a provider that is killed: before the answer it is told, in the middle the stream is cut', async () => {
    const { begun, waiting } = await two();
    await provider().stop();
    expect(await codeOf(waiting)).toEqual([502, 'BACKEND_UNREACHABLE', undefined]);
    expect(await begun.body).toEqual({ text: 'begun\n', cut: true });
  });

  test('a provider that is said to have stopped, whose process hangs on', async () => {
    const { begun, waiting } = await two();
    provider().become('failed', 'TooManyFailures');
    expect(await codeOf(waiting)).toEqual([502, 'BACKEND_UNREACHABLE', undefined]);
    expect(await begun.body).toEqual({ text: 'begun\n', cut: true });
  });

  test('the session behind a page, the credential behind a backend', async () => {
    const { headers, hash } = await credential('leitor');
    const backend = await two(headers);
    const page = await two();
    portal.bus.credentialEnded(hash);
    expect(await codeOf(backend.waiting)).toEqual([401, 'UNAUTHENTICATED', undefined]);
    expect(await backend.begun.body).toEqual({ text: 'begun\n', cut: true });
    expect((await page.begun.head)?.destroyed).toBe(false);
    await ana.call('DELETE', '/api/sessao');
    expect(await codeOf(page.waiting)).toEqual([401, 'UNAUTHENTICATED', undefined]);
    expect(await page.begun.body).toEqual({ text: 'begun\n', cut: true });
  });
});

describe('on demand', () => {
  const wished = () => portal.store.intents();
  const theWish = async (): Promise<string> => (await wished())[0]?.requestId ?? '';

  test('ten calls start it once and wait for it; what the person has to say to it comes before', async () => {
    expect((await stream('/x', { 'x-svc-app': 'notas' }).head)?.statusCode).toBe(403);
    expect(await wished()).toEqual([]);
    const calls = Array.from({ length: 10 }, (_, index) => stream(`/x${index}`));
    await expect.poll(wished).toMatchObject([{ person: 'ana', app: 'dicionario', wish: 'start', by: 'navigation', done: false }]);
    const requestId = await theWish();
    provider().become('starting', 'Probing');
    await portal.store.finishIntent('ana', 'dicionario', requestId);
    await provider().start();
    for (const call of calls) expect((await call.body).text).toContain('ana/dicionario GET /api/dic/x');
    expect([(await wished())[0]?.requestId, provider().seen.length]).toEqual([requestId, 10]);
  });

  test('what does not come up within 20 s, or failed before, is told with when to ask again', async () => {
    const call = stream('/x');
    await expect.poll(async () => (await wished()).length).toBe(1);
    const requestId = await theWish();
    provider().become('starting', 'Probing');
    await portal.store.finishIntent('ana', 'dicionario', requestId);
    const clock = portal.clock as ManualClock;
    for (let second = 0; second < 21; second += 1) {
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await codeOf(call)).toEqual([503, 'APP_NOT_RUNNING', undefined]);
    provider().become('failed', 'TooManyFailures');
    const failed = stream('/x');
    expect(await codeOf(failed)).toEqual([503, 'APP_NOT_RUNNING', undefined]);
    expect(Number((await failed.head)?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await wished())[0]?.requestId).toBe(requestId);
  });

  test('while it is waited for, a no is told at once, and who leaves is forgotten', async () => {
    const waiting = stream('/x');
    await expect.poll(async () => (await wished()).length).toBe(1);
    await say('leitor', 'dicionario', capability, 'nao');
    expect(await codeOf(waiting)).toEqual([403, 'CONSENT_REFUSED', undefined]);
    await say('leitor', 'dicionario', capability);
    for (let index = 0; index < limits.capabilityCallsMax; index += 1) {
      const left = stream('/x');
      await once(left.req, 'finish');
      left.req.destroy();
    }
    await provider().start();
    await expect.poll(async () => (await stream('/y').head)?.statusCode).toBe(200);
    expect(provider().seen.map(({ url }) => url)).not.toContain('/api/dic/x');
  });
});

describe('bounds', () => {
  beforeEach(async () => {
    await provider().start();
    manifests['leitor'] = { requires: [capability], provides: ['leitura/v1'], capacidades: { 'leitura/v1': { rota: '/ler' } } };
    await portal.world.backend('ana', 'leitor').start();
    await say('dicionario', 'leitor', 'leitura/v1');
  });

  test('so many calls between two apps at once; others go on, and one that ends makes room', async () => {
    const { held } = streaming();
    const calls = Array.from({ length: limits.capabilityCallsMax }, () => stream('/hold'));
    await expect.poll(() => held.length).toBe(limits.capabilityCallsMax);
    expect(await codeOf(stream('/hold'))).toEqual([429, 'RATE_LIMITED', undefined]);
    await say('notas', 'dicionario', capability);
    expect((await stream('/stream', { 'x-svc-app': 'notas' }).head)?.statusCode).toBe(200);
    held[0]?.end();
    await calls[0]?.body;
    expect((await stream('/stream').head)?.statusCode).toBe(200);
  });

  /** Each backend answers by asking the other; `passes` the id of the call on. Answers what the deepest call came to. */
  async function circle(passes: boolean): Promise<readonly unknown[]> {
    const deepest: unknown[] = [];
    const mutual = [
      ['leitor', 'dicionario/v1', 'dicionario'],
      ['dicionario', 'leitura/v1', 'leitor'],
    ] as const;
    for (const [de, capacidade, other] of mutual) {
      const { headers } = await credential(de);
      portal.world.backend('ana', de).respond = (req, res) => {
        const within = passes ? { 'x-svc-pedido': String(req.headers['x-svc-pedido']) } : {};
        const at = { host: '127.0.0.1', port: portal.port, path: `/api/capacidades/${capacidade}/x`, agent: false };
        http.get({ ...at, headers: { ...headers, ...within } }, (answer) => {
          let text = '';
          answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
          answer.on('end', () => {
            if (answer.headers['x-svc-fornecedor'] !== other) deepest.push(answer.statusCode, (JSON.parse(text) as { code: string }).code);
            res.end('over');
          });
        });
      };
    }
    expect((await stream('/x').head)?.statusCode).toBe(200);
    return deepest;
  }

  test('apps that ask each other in a circle are stopped four calls deep when they say for whom they ask', async () => {
    expect(await circle(true)).toEqual([508, 'CAPABILITY_LOOP']);
    const depth = provider().seen.length + portal.world.backend('ana', 'leitor').seen.length;
    expect(depth).toBe(limits.capabilityDepthMax);
  });

  test('and at the bound of calls between two apps when they do not', async () => {
    expect(await circle(false)).toEqual([508, 'CAPABILITY_LOOP']);
    const depth = provider().seen.length + portal.world.backend('ana', 'leitor').seen.length;
    expect(depth).toBe(2 * limits.capabilityCallsMax);
  });

  test('an id of a call says nothing for who does not answer it', async () => {
    const { held } = streaming();
    stream('/hold');
    await expect.poll(() => held.length).toBe(1);
    const id = String(provider().seen.at(-1)?.headers['x-svc-pedido']);
    const { headers } = await credential('leitor');
    // The app that made it, a page, and one that is none: each begins anew, at the first depth.
    for (const more of [{ ...headers, 'x-svc-pedido': id }, { 'x-svc-pedido': id }, { ...headers, 'x-svc-pedido': 'x'.repeat(43) }]) {
      expect((await stream('/stream', more).head)?.statusCode).toBe(200);
      expect(provider().seen.at(-1)?.headers['x-svc-pedido']).not.toBe(id);
    }
  });
});
