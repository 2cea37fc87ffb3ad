/** Following a log, waiting for a start, reading a file, over real HTTP: what ends when the client goes away. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import http from 'node:http';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { PersonFiles } from '../../schema/files.ts';
import { limits } from '../files/limits.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;

beforeEach(async () => {
  portal = await createPortalWorld();
  ana = await portal.signedIn('ana');
});
afterEach(() => portal.close());

interface Following {
  readonly res: http.IncomingMessage;
  readonly text: () => string;
  /** Goes away without a word. */
  leave(): void;
}

function begin(method: string, path: string): Promise<Following> {
  const { promise, resolve, reject } = Promise.withResolvers<Following>();
  const headers = { host: portal.host, origin: portal.url, cookie: ana.cookies.get(portal.host) ?? '' };
  const req = http.request({ host: '127.0.0.1', port: portal.port, method, path, headers, agent: false }, (res) => {
    let text = '';
    res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    res.on('error', () => {});
    resolve({ res, text: () => text, leave: () => req.destroy() });
  });
  req.on('error', reject);
  req.end();
  return promise;
}

test('a followed log arrives while it is written, and its source ends with the client', async () => {
  let ended = 0;
  const commands = portal.world.gateway.commands.apps;
  const { followLog } = commands;
  commands.followLog = async function* counted(person, app, options) {
    try {
      yield* followLog(person, app, options);
    } finally {
      ended += 1;
    }
  };
  const following = await begin('GET', '/api/apps/notas/log?tail=5&seguir=1');
  expect(following.res.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'transfer-encoding': 'chunked' });
  await expect.poll(following.text).toMatch(/^hello of notas\nline 0\nline 1\n/);
  following.leave();
  await expect.poll(() => ended).toBe(1);
});

test('eight logs are followed at a time; one that ends makes room', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => begin('GET', '/api/apps/notas/log?seguir=1')));
  const ninth = await ana.call('GET', '/api/apps/notas/log?seguir=1');
  expect([ninth.status, ninth.headers['retry-after']]).toEqual([429, '1']);
  // A single read is not counted.
  expect((await ana.call('GET', '/api/apps/notas/log')).status).toBe(200);
  all[0]?.leave();
  await expect.poll(async () => (await begin('GET', '/api/apps/notas/log?seguir=1')).res.statusCode).toBe(200);
});

test('a start is answered when the app is ready', async () => {
  const answer = ana.call('POST', '/api/apps/notas/start');
  await expect.poll(() => portal.store.intent('ana', 'notas')).toMatchObject({ wish: 'start', by: 'person', done: false });
  await portal.store.finishIntent('ana', 'notas', (await portal.store.intent('ana', 'notas'))?.requestId ?? '');
  await portal.world.backend('ana', 'notas').start();
  expect((await answer).json()).toEqual({ ready: true, status: 'running', reason: 'Healthy', message: 'notas is running' });
});

test('who goes away while it starts leaves nothing that waits', async () => {
  const waits = begin('POST', '/api/apps/notas/start').catch(() => null);
  const controller = new AbortController();
  const req = http.request({
    host: '127.0.0.1',
    port: portal.port,
    method: 'POST',
    path: '/api/apps/relogio/start',
    agent: false,
    signal: controller.signal,
    headers: { host: portal.host, origin: portal.url, cookie: ana.cookies.get(portal.host) ?? '' },
  });
  req.on('error', () => {});
  req.end();
  await expect.poll(() => portal.store.intent('ana', 'relogio')).not.toBeNull();
  controller.abort();
  let reads = 0;
  const intent = portal.store.intent.bind(portal.store);
  portal.store.intent = async (person, app) => {
    if (app === 'relogio') reads += 1;
    return await intent(person, app);
  };
  const clock = portal.clock as ManualClock;
  const readsInAPoll = async (): Promise<number> => {
    const before = reads;
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
    return reads - before;
  };
  await expect.poll(readsInAPoll).toBe(0);
  clock.advance(30_000);
  expect((await waits)?.res.statusCode).toBe(200);
});

/** The portal's answers from now on. */
function answersFromNow(): readonly http.ServerResponse[] {
  const all: http.ServerResponse[] = [];
  const see = (message: unknown): void => void all.push((message as { readonly response: http.ServerResponse }).response);
  subscribe('http.server.request.start', see);
  onTestFinished(() => void unsubscribe('http.server.request.start', see));
  return all;
}

/** Files whose person is known, or which are opened, once the gate is open; `held` counts those that nobody closed. */
function gatedFiles(gateAt: 'person' | 'file', gate: Promise<void>) {
  const seen = { asked: 0, held: 0 };
  const at = async (place: typeof gateAt): Promise<void> => {
    if (place !== gateAt) return;
    seen.asked += 1;
    await gate;
  };
  async function* piece<Piece>(value: Piece): AsyncGenerator<Piece> {
    await at('file');
    seen.held += 1;
    try {
      yield value;
      yield value;
    } finally {
      seen.held -= 1;
    }
  }
  const files: Pick<PersonFiles, 'open' | 'zip' | 'search' | 'watch'> = {
    open: async () => {
      await at('file');
      seen.held += 1;
      const read = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('abc');
      };
      return { bytes: 3, modifiedMs: 0, etag: '"a"', read, close: async () => void (seen.held -= 1) };
    },
    zip: () => piece(Buffer.from('zip')),
    search: () => piece({ fim: true, vistos: 0, recusadas: 0, cortada: false }),
    watch: () => piece(null),
  };
  portal.world.filesOf = async () => {
    await at('person');
    return files as PersonFiles;
  };
  return seen;
}

const asked = ['conteudo?caminho=/a', 'zip?caminho=/a', 'busca?caminho=/a&texto=x', 'vigiar?caminho=/a'];

test.for(asked.flatMap((path) => [[path, 'person'] as const, [path, 'file'] as const]))(
  'who leaves while %s waits for its %s keeps neither a place nor what was opened',
  async ([path, gateAt]) => {
    const places = /^(?:conteudo|zip)/.test(path) ? limits.transfersPerPersonMax : limits.fileStreamsPerPersonMax;
    const gate = Promise.withResolvers<void>();
    const seen = gatedFiles(gateAt, gate.promise);
    const answers = answersFromNow();
    const headers = { host: portal.host, origin: portal.url, cookie: ana.cookies.get(portal.host) ?? '' };
    const all = Array.from({ length: places }, () =>
      http.get({ host: '127.0.0.1', port: portal.port, path: `/api/arquivos/${path}`, headers, agent: false }).on('error', () => {}),
    );
    await expect.poll(() => seen.asked).toBe(places);
    for (const each of all) each.destroy();
    await expect.poll(() => answers.filter(({ closed }) => closed).length).toBe(places);
    gate.resolve();
    await expect.poll(async () => (await ana.call('GET', `/api/arquivos/${path}`)).status).toBe(200);
    await expect.poll(() => seen.held).toBe(0);
    expect(portal.logLines.filter((line) => line.includes('request failed'))).toEqual([]);
  },
);
