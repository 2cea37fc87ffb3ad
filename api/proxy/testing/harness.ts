/**
 * For the proxy's tests: a real node:http server in front of the real proxy, a backend that is whatever a test wants on a real unix
 * socket, and a client that speaks bytes. Nothing is mocked but who is signed in and what the controller would say.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { createBus, type Bus } from '../../../store/bus.ts';
import type { Clock } from '../../../schema/clock.ts';
import type { BackendRoute } from '../../../schema/gateway.ts';
import { limits } from '../../../schema/limits.ts';
import type { StartAnswer } from '../../../schema/wire/http.ts';
import { boundConnections } from '../../connections/connections.ts';
import type { AppView, Proxy, ProxyDeps } from '../contract.ts';
import { createProxy } from '../proxy.ts';

/** Real time, as controller/clock/system.ts has it; the api imports nothing of the controller but its contracts. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  at: (atMs, fn) => {
    const timer = setTimeout(fn, Math.max(0, Math.ceil(atMs - performance.now())));
    return () => clearTimeout(timer);
  },
};

export const stoppedView: AppView = {
  id: 'notas',
  name: 'Notas',
  escopo: 'pessoa',
  status: 'stopped',
  ready: false,
  reason: 'NeverStarted',
  message: 'was never started',
  wanted: false,
  pinned: false,
  nextAttemptAtMs: null,
  lastExit: null,
  step: null,
};

export interface Bench {
  readonly port: number;
  readonly socketPath: string;
  readonly proxy: Proxy;
  readonly bus: Bus;
  /** State that tests change while it runs. */
  readonly world: World;
  /** `host` is what the proxy takes for the app's own origin. */
  readonly host: string;
  close(): Promise<void>;
}

export interface World {
  route: BackendRoute | null;
  view: AppView | null;
  log: string;
  hold: (signal: AbortSignal) => Promise<StartAnswer>;
  basePath: string;
  readonly wishes: string[];
  readonly badAnswers: string[];
  readonly statuses: number[];
  tunnels: number;
  /** Requests that reached the proxy. */
  handled: number;
}

export const token = 'tok-1234567890';

export interface BenchOptions {
  readonly clock?: Clock;
  readonly basePath?: string;
  /** How long the head of a request may take. */
  readonly headMsMax?: number;
}

/** `backend` gets every connection to the unix socket; null: nothing listens. */
export async function startBench(backend: ((socket: net.Socket) => void) | Server | null, options: BenchOptions = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'svcp-'));
  const socketPath = join(folder, 'b.sock');
  const listening = typeof backend === 'function' ? net.createServer({ allowHalfOpen: true }, backend) : backend;
  const sockets = new Set<net.Socket>();
  listening?.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  if (listening !== null) await listen(listening, { path: socketPath });

  const world: World = {
    route: {
      generation: 'g1',
      socketPath,
      dial: () => Promise.resolve(net.connect(socketPath)),
      token,
      keepIdleMs: limits.proxyIdleConnectionMsMax,
    },
    view: { ...stoppedView, status: 'running', ready: true, reason: 'Healthy', message: 'answers' },
    log: '',
    hold: () => Promise.reject(new Error('no hold expected')),
    basePath: options.basePath ?? '/',
    wishes: [],
    badAnswers: [],
    statuses: [],
    tunnels: 0,
    handled: 0,
  };
  const bus = createBus();
  const front = createServer({
    maxHeaderSize: 32 * 1_024,
    requestTimeout: 0,
    headersTimeout: options.headMsMax ?? 2_000,
    connectionsCheckingInterval: 200,
  });
  boundConnections(front, { clock: realClock, isTrusted: () => false });
  const port = await listen(front, { host: '127.0.0.1', port: 0 });
  const proxy = createProxy(depsOf(world, bus, `http://127.0.0.1:${port}`, options.clock ?? realClock));
  const target = (path: string) => ({ person: 'ana', app: 'notas', path, basePath: world.basePath, session: 's1' });
  front.on('request', (req, res) => {
    world.handled += 1;
    proxy.handle(req, res, target(req.url ?? ''));
  });
  front.on('upgrade', (req, socket, head) => {
    if (socket.destroyed) return;
    world.handled += 1;
    proxy.upgrade(req, socket, head, target(req.url ?? ''));
  });
  return {
    port,
    socketPath,
    proxy,
    bus,
    world,
    host: `127.0.0.1:${port}`,
    close: async () => {
      proxy.close();
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      for (const socket of sockets) socket.destroy();
      if (listening !== null) await new Promise((resolve) => listening.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** For the tests of a file: makes benches that end with their test. */
export function useBenches(): (...args: Parameters<typeof startBench>) => Promise<Bench> {
  const open: Bench[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  return async (...args) => {
    const made = await startBench(...args);
    open.push(made);
    return made;
  };
}

function depsOf(world: World, bus: Bus, portalOrigin: string, clock: Clock): ProxyDeps {
  return {
    route: () => world.route,
    badAnswer: (_person, _app, reason) => void world.badAnswers.push(reason),
    tokenRefused: (_person, app) => void world.wishes.push(`token ${app}`),
    hold: (_person, _app, signal) => world.hold(signal),
    appView: () => world.view,
    logTail: () => Promise.resolve(world.log),
    wish: (_person, app, wish) => {
      world.wishes.push(`${wish} ${app}`);
      return Promise.resolve();
    },
    bus,
    portalOrigin,
    clock,
    metrics: {
      request: (_app, status) => world.statuses.push(status),
      tunnels: (_app, change) => {
        world.tunnels += change;
      },
    },
  };
}

function listen(server: net.Server, at: net.ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : 0);
    });
  });
}

/** A backend that records every byte it gets and answers each whole request head with `answer`. */
export interface ByteBackend {
  readonly onConnection: (socket: net.Socket) => void;
  /** Bytes per connection, in order of connecting. */
  readonly received: string[];
}

export function byteBackend(answer: string | ((request: string, nth: number, socket: net.Socket) => string)): ByteBackend {
  const received: string[] = [];
  let count = 0;
  return {
    received,
    onConnection: (socket) => {
      const index = received.push('') - 1;
      let pending = '';
      socket.on('data', (chunk: Buffer) => {
        received[index] += chunk.toString('latin1');
        pending += chunk.toString('latin1');
        for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
          const request = pending.slice(0, end + 4);
          pending = pending.slice(end + 4);
          const text = typeof answer === 'string' ? answer : answer(request, count++, socket);
          if (text !== '') socket.write(text, 'latin1');
        }
      });
      socket.on('end', () => socket.end());
    },
  };
}

/** Sends bytes and gathers what comes back until the other side closes or `until` is satisfied. */
export function rawRequest(port: number, bytes: string | Buffer, until: (got: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let got = '';
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString('latin1');
      if (until(got)) socket.destroy();
    });
    socket.on('close', () => resolve(got));
    socket.on('error', (error: NodeJS.ErrnoException) => (got === '' && error.code !== 'ECONNRESET' ? reject(error) : resolve(got)));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** Sends a request that closes the connection afterwards. */
export function ask(bench: Bench, requestLine: string, headers: readonly string[] = [], body = ''): Promise<string> {
  const lines = [`${requestLine} HTTP/1.1`, `Host: ${bench.host}`, 'Connection: close', ...headers, '', ''];
  return rawRequest(bench.port, lines.join('\r\n') + body);
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

/** Header value of a raw answer, null when absent; every value when sent more than once, joined by " | ". */
export function headerOf(answer: string, name: string): string | null {
  const head = answer.split('\r\n\r\n', 1)[0]!.split('\r\n').slice(1);
  const values = head
    .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    .map((line) => line.slice(name.length + 1).trim());
  return values.length === 0 ? null : values.join(' | ');
}

export async function until(condition: () => boolean, what: string, msMax = 30_000): Promise<void> {
  const endMs = performance.now() + msMax;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`waited too long for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
