/**
 * The proxy's way to backends on undici's `Pool` and `dispatch` in place of the client of our own: the same requests, the same header policies, the
 * same streaming both ways. Its limitations: docs/decisions/0040-own-upstream-client.md
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type Dispatcher } from 'undici';
import type { Connection } from '../connection.ts';
import type { ExchangeFailure } from '../exchange.ts';
import { policyOf, poolKey, switchingHead, type Active, type Forwarder, type Passage, type Upstream } from '../forward.ts';
import { connectionTokens, responseKind } from '../header-names.ts';
import { isUnanswering, unansweringFailure } from '../hold.ts';
import { limits } from '../limits.ts';
import { backendHead } from '../request-head.ts';
import { clientHeaders, refusedByGate, type ResponsePolicy } from '../response-headers.ts';
import type { ResponseHead } from '../response-parser.ts';
import { runTunnel } from '../tunnel.ts';
import type { BackendRoute } from '../../../schema/gateway.ts';

interface Backend {
  readonly generation: string;
  readonly pool: Pool;
  readonly runs: Set<Run>;
  route: BackendRoute;
}

interface Run {
  readonly via: Forwarder;
  readonly backend: Backend;
  readonly passage: Passage;
  readonly policy: ResponsePolicy;
  readonly entry: Active;
  readonly again: boolean;
  readonly sinceMs: number;
  controller: Dispatcher.DispatchController | null;
  /** A byte of the answer came. */
  begun: boolean;
  status: number;
  /** Bytes of the body that are to come; -1 when not known. */
  left: number;
  over: boolean;
}

const sweepMs = 1_000;
const badResponses = new Set(['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError']);
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

export function createUndiciUpstream(via: Forwarder): Upstream {
  const backends = new Map<string, Backend>();
  const { clock } = via.deps;
  let cancelSweep = clock.at(clock.monotonicMs() + sweepMs, sweep);
  function sweep(): void {
    const nowMs = clock.monotonicMs();
    for (const { runs } of backends.values()) for (const run of runs) look(run, nowMs);
    cancelSweep = clock.at(nowMs + sweepMs, sweep);
  }
  return {
    forward: (passage, route) => {
      const key = poolKey(passage.target.person, passage.target.app);
      let backend = backends.get(key);
      if (backend === undefined || backend.generation !== route.generation) {
        void backend?.pool.close();
        backend = { generation: route.generation, pool: poolFor(route), runs: new Set(), route };
        backends.set(key, backend);
      }
      backend.route = route;
      route.used?.();
      start(via, backend, passage, false);
    },
    drop: (matches) => {
      for (const [key, { pool }] of backends) {
        if (!matches(key)) continue;
        backends.delete(key);
        void pool.destroy();
      }
    },
    close: () => {
      cancelSweep();
      for (const { pool } of backends.values()) void pool.destroy();
      backends.clear();
    },
  };
}

function poolFor(route: BackendRoute): Pool {
  return new Pool('http://localhost', {
    connect: (_options, done) => void connectTo(route, done),
    connections: limits.proxySocketsPerBackendMax,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: route.keepIdleMs,
    keepAliveMaxTimeout: route.keepIdleMs,
    keepAliveTimeoutThreshold: 1_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 32 * 1_024,
  });
}

const backlogRetryMs = [1, 2, 5, 10, 20, 50, 100, 200];

async function connectTo(route: BackendRoute, done: (...args: [null, net.Socket] | [Error, null]) => void): Promise<void> {
  const opened = await open(route, 0, 0).catch((error: unknown) => error as Error);
  if (opened instanceof Error) done(opened, null);
  else done(null, opened as net.Socket);
}

async function open(route: BackendRoute, attempt: number, waitedMs: number): Promise<Duplex> {
  if (route.socketPath === null) return await route.dial();
  const socket = net.connect({ path: route.socketPath, allowHalfOpen: true });
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    // A full listen backlog: worth trying again for a while.
    const waitMs = backlogRetryMs[Math.min(attempt, backlogRetryMs.length - 1)]!;
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waitedMs + waitMs > limits.proxyConnectMsMax) throw error;
    await sleep(waitMs);
    return await open(route, attempt + 1, waitedMs + waitMs);
  }
}

function start(via: Forwarder, backend: Backend, passage: Passage, again: boolean): void {
  const { req, res, target, head, tunnel } = passage;
  if (backend.runs.size >= limits.proxySocketsPerBackendMax + limits.proxyQueuePerBackendMax) {
    return via.failed(passage, { code: 'BACKEND_BUSY', message: 'all connections to the backend are in use and the queue is full' });
  }
  const policy = policyOf(via.deps, passage);
  const run: Run = {
    via,
    backend,
    passage,
    policy,
    entry: { place: -1, target, end: () => (tunnel === null ? res.destroy() : tunnel.socket.destroy()) },
    again,
    sinceMs: via.deps.clock.monotonicMs(),
    controller: null,
    begun: false,
    status: 0,
    left: -1,
    over: false,
  };
  via.active.add(run.entry);
  backend.runs.add(run);
  const gone = (): void => {
    if (run.over) return;
    leave(run);
    via.answered(target, 0);
    run.controller?.abort(new Error('the client left'));
  };
  res.once('close', gone);
  const lines = backendHead(req, { ...head, upgrade: '' }, target.path, { token: backend.route.token, mandate: '' }, policy);
  try {
    backend.pool.dispatch(
      {
        method: req.method as Dispatcher.HttpMethod,
        path: target.path,
        headers: headersOf(lines),
        body: head.body === 'none' ? null : bodyOf(req),
        upgrade: tunnel === null ? null : head.upgrade,
      },
      handlerOf(run),
    );
  } catch (error) {
    fail(run, { code: 'INTERNAL', message: (error as Error).message });
  }
}

/** undici takes the socket away from a request of node:http that it was given as a body. */
function bodyOf(req: IncomingMessage): Readable {
  const body = req.pipe(new PassThrough());
  // The rest of an unwanted body is read and dropped, so that the client can read its answer.
  body.once('close', () => req.unpipe(body).resume());
  return body;
}

/** Names and values by turns. undici writes framing itself. */
function headersOf(lines: string): string[] {
  const headers: string[] = [];
  for (let at = lines.indexOf('\r\n') + 2; at < lines.length - 2;) {
    const colon = lines.indexOf(':', at);
    const end = lines.indexOf('\r\n', colon);
    const name = lines.slice(at, colon);
    if (name !== 'Transfer-Encoding') headers.push(name, lines.slice(colon + 2, end));
    at = end + 2;
  }
  return headers;
}

/** Called each second: what is not answered in time, and who waits long. */
function look(run: Run, nowMs: number): void {
  if (run.over || run.status !== 0) return;
  const waitsMs = nowMs - run.sinceMs;
  if (run.controller === null) {
    if (waitsMs >= limits.proxyQueueMsMax) fail(run, { code: 'BACKEND_BUSY', message: 'no connection to the backend became free in time' });
    return;
  }
  if (waitsMs >= limits.proxyAnswerMsMax) return fail(run, { code: 'BACKEND_TIMEOUT', message: 'the backend did not answer in time' });
  if (waitsMs < limits.proxyDoubtMs) return;
  run.backend.route.doubted?.();
  const { target, navigation } = run.passage;
  const view = navigation ? run.via.deps.appView(target.person, target.app) : null;
  if (view !== null && isUnanswering(view)) fail(run, unansweringFailure(view));
}

function leave(run: Run): void {
  run.over = true;
  run.backend.runs.delete(run);
  run.via.active.delete(run.entry);
}

function fail(run: Run, failure: ExchangeFailure): void {
  if (run.over) return;
  leave(run);
  run.controller?.abort(new Error(failure.message));
  if (run.status !== 0) {
    run.passage.res.destroy();
    run.via.answered(run.passage.target, run.status);
  } else {
    run.via.failed(run.passage, failure);
  }
}

function failed(run: Run, error: Error & { readonly code?: string }): void {
  if (run.over) return;
  const { code = '' } = error;
  if (badResponses.has(error.name) || error.message.startsWith('bad '))
    return fail(run, { code: 'BACKEND_BAD_RESPONSE', message: error.message });
  const { passage, via, backend } = run;
  // The library does not say which connection it was, and whether it was used before.
  if (!run.begun && !run.again && passage.head.body === 'none' && repeatable.has(passage.req.method!)) {
    leave(run);
    return start(via, backend, passage, true);
  }
  return fail(run, { code: 'BACKEND_UNREACHABLE', message: `no answer of the backend (${code})` });
}

function handlerOf(run: Run): Dispatcher.DispatchHandler {
  const { passage, via } = run;
  const { res, target } = passage;
  return {
    onRequestStart: (controller) => {
      run.controller = controller;
      if (run.over) controller.abort(new Error('the client left'));
    },
    onResponseStarted: () => {
      run.begun = true;
    },
    onResponseStart: (controller, status, _headers, reason = '') => {
      if (run.over) return;
      const head = headOf(status, reason, controller.rawHeaders as Buffer[], passage.req.method === 'HEAD');
      if (status < 200) return earlyHints(res, head);
      if (refusedByGate(head))
        return fail(run, { code: 'BACKEND_REFUSED_TOKEN', message: 'the backend runs with another token than the portal knows' });
      run.status = status;
      run.left = head.framing === 'length' ? head.length : -1;
      res.writeHead(status, reason, clientHeaders(head, run.policy));
      // Streams show their head before the first byte of the body.
      if (head.framing === 'chunked' || head.framing === 'close') process.nextTick(() => run.over || res.flushHeaders());
    },
    onResponseData: (controller, chunk) => {
      if (run.over) return;
      if (run.left >= 0) {
        run.left -= chunk.length;
        // The end follows within this call: head and body leave in one write.
        if (run.left === 0) {
          res.end(chunk);
          return;
        }
      }
      if (res.write(chunk)) return;
      controller.pause();
      res.once('drain', () => controller.resume());
    },
    onResponseEnd: (controller) => {
      if (run.over) return;
      leave(run);
      if (!res.writableEnded) {
        const trailers = trailerPairs((controller.rawTrailers ?? []) as Buffer[]);
        if (trailers.length > 0) res.addTrailers(trailers);
        res.end();
      }
      if (res.writableFinished) via.answered(target, run.status);
      else res.once('finish', () => via.answered(target, run.status));
    },
    onResponseError: (_controller, error) => failed(run, error),
    onRequestUpgrade: (controller, status, _headers, socket) =>
      switched(run, headOf(status, '', controller.rawHeaders as Buffer[], false), socket),
  };
}

function headOf(status: number, reason: string, buffers: readonly Buffer[], isHead: boolean): ResponseHead {
  const raw: string[] = [];
  let connection = '';
  let upgrade = '';
  let length = -1;
  let chunked = false;
  for (let index = 0; index < buffers.length; index += 2) {
    const name = buffers[index]!.toString('latin1');
    const value = buffers[index + 1]!.toString('latin1');
    raw.push(name, value);
    const kind = responseKind(name);
    if (kind === 'connection') connection = connection === '' ? value : `${connection}, ${value}`;
    else if (kind === 'upgrade') upgrade = value;
    else if (kind === 'contentLength') length = Number(value);
    else if (kind === 'transferEncoding') chunked = true;
  }
  const none = isHead || status < 200 || status === 204 || status === 304 || length === 0;
  const framing = none ? 'none' : chunked ? 'chunked' : length === -1 ? 'close' : 'length';
  return { minor: 1, status, reason, raw, framing, length: Math.max(0, length), reusable: false, idleMsMax: null, connection, upgrade };
}

function trailerPairs(buffers: readonly Buffer[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < buffers.length; index += 2) {
    const name = buffers[index]!.toString('latin1');
    if (responseKind(name) === 'forward') pairs.push([name, buffers[index + 1]!.toString('latin1')]);
  }
  return pairs;
}

function earlyHints(res: ServerResponse, head: ResponseHead): void {
  const links = head.raw.filter((_, index) => index % 2 === 1 && head.raw[index - 1]!.toLowerCase() === 'link');
  if (head.status !== 103 || res.headersSent || links.length === 0) return;
  try {
    res.writeEarlyHints({ link: links });
  } catch {
    // A hint less.
  }
}

function switched(run: Run, head: ResponseHead, stream: Duplex): void {
  const { passage, via, policy } = run;
  const { res, target, tunnel } = passage;
  if (
    run.over ||
    head.upgrade.toLowerCase() !== passage.head.upgrade.toLowerCase() ||
    !connectionTokens(head.connection).includes('upgrade')
  ) {
    stream.destroy();
    return fail(run, { code: 'BACKEND_BAD_RESPONSE', message: 'the backend switched to a protocol that was not asked for' });
  }
  leave(run);
  const { socket, first } = tunnel!;
  res.detachSocket(socket);
  socket.setKeepAlive(true, limits.proxyKeepAliveProbeMs);
  socket.write(switchingHead(head, policy), 'latin1');
  if (first.length > 0) stream.write(first);
  const connection = tunnelEnd(stream);
  const entry: Active = { place: -1, target, end: () => running.destroy() };
  const running = runTunnel(socket, connection, via.deps.clock, () => {
    via.active.delete(entry);
    via.deps.metrics?.tunnels(target.app, -1);
  });
  via.active.add(entry);
  via.answered(target, 101);
  via.deps.metrics?.tunnels(target.app, 1);
  stream.on('data', (chunk: Buffer) => connection.user?.data(chunk));
  stream.on('end', () => connection.user?.ended());
  stream.on('drain', () => connection.user?.drained());
  stream.on('error', () => stream.destroy());
  stream.on('close', () => connection.user?.closed(null));
  stream.resume();
}

/** The methods of a connection that `runTunnel` uses. */
function tunnelEnd(stream: Duplex): Connection {
  return {
    stream,
    user: null,
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    destroy: () => stream.destroy(),
  } as unknown as Connection;
}
