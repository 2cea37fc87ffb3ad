/**
 * A connection to a backend's socket: a socket of this machine read into one fixed buffer (nothing is allocated per read), or another Duplex of a
 * host driver's `dial` (ssh). Its user gets the bytes; between users only an end is expected.
 */
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { BackendRoute } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { createResponseParser, type ResponseParser } from './response-parser.ts';
import type { Member } from './under-way.ts';

export interface ConnectionUser {
  /** Unless `chunksStay`, the chunk is only valid during the call, or while the connection stays paused from within it. */
  data(chunk: Buffer): void;
  /** The backend closed its sending side. */
  ended(): void;
  /** The connection is gone, once. */
  closed(error: Error | null): void;
  /** The written bytes have left. */
  drained(): void;
  /** The connection's deadline (`deadlineMs`) passed. */
  deadlinePassed(): void;
  /** It waits long for the head of its answer; called each second. */
  doubted(): void;
}

export interface Connection extends Member {
  readonly stream: Duplex;
  readonly parser: ResponseParser;
  readonly generation: string;
  /** Chunks are separate memory: valid while referenced. */
  readonly chunksStay: boolean;
  user: ConnectionUser | null;
  /** It was there before its request: its backend may have closed it meanwhile. */
  kept: boolean;
  idleSinceMs: number;
  idleMsMax: number;
  /** Monotonic; Infinity when nothing is due. */
  deadlineMs: number;
  /** Since when its request waits for the head of the answer; Infinity while none does. Monotonic. */
  waitsSinceMs: number;
  gone: boolean;
  /** While a body is sent: a backend that takes no more of it may have answered before, and that is read still. docs/decisions/0344-an-answer-before-the-body.md */
  keepsReading(is: boolean): void;
  /** No chunk comes until `resume`; the last chunk stays valid meanwhile. */
  pause(): void;
  resume(): void;
  destroy(): void;
}

type Opened = (connection: Connection | null, error: Error | null) => void;

/** Calls back once with a connection that takes writes, or with why there is none. Returns the cancel function. */
export function openConnection(route: BackendRoute, done: Opened): () => void {
  if (route.socketPath !== null) return openSocket(route.socketPath, route.generation, done);
  const trial = { cancelled: false };
  void openDialled(route, trial, done);
  return () => {
    trial.cancelled = true;
  };
}

async function openDialled(route: BackendRoute, trial: { readonly cancelled: boolean }, done: Opened): Promise<void> {
  const opened = await route.dial().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (opened instanceof Error) {
    if (!trial.cancelled) done(null, opened);
  } else if (trial.cancelled) {
    opened.destroy();
  } else {
    done(wrapDialled(opened, route.generation), null);
  }
}

/** A full listen backlog answers EAGAIN at once (Python's default holds five): worth trying again for a while. */
const backlogRetryMs = [1, 2, 5, 10, 20, 50, 100, 200];

function openSocket(path: string, generation: string, done: Opened): () => void {
  let attempt = 0;
  let waitedMs = 0;
  let timer: NodeJS.Timeout | null = null;
  let socket: net.Socket | null = null;
  const connect = (): void => {
    timer = null;
    const holder: { connection: Connection | null } = { connection: null };
    const trial = net.connect({ path, allowHalfOpen: true, onread: readInto(holder) });
    socket = trial;
    const failed = (error: NodeJS.ErrnoException): void => {
      const waitMs = backlogRetryMs[Math.min(attempt, backlogRetryMs.length - 1)]!;
      if (error.code !== 'EAGAIN' || waitedMs + waitMs > limits.proxyConnectMsMax) return done(null, error);
      attempt += 1;
      waitedMs += waitMs;
      timer = setTimeout(connect, waitMs);
    };
    trial.once('error', failed);
    trial.once('connect', () => {
      trial.off('error', failed);
      holder.connection = wrap(trial, generation, false);
      done(holder.connection, null);
    });
  };
  connect();
  return () => {
    if (timer !== null) clearTimeout(timer);
    socket?.destroy();
  };
}

function readInto(holder: { readonly connection: Connection | null }): net.OnReadOpts {
  const buffer = Buffer.allocUnsafeSlow(limits.proxyReadBufferBytes);
  return {
    buffer,
    callback: (bytes) => {
      const connection = holder.connection;
      if (connection === null || connection.gone) return true;
      deliver(connection, bytes === buffer.length ? buffer : buffer.subarray(0, bytes));
      return true;
    },
  };
}

function wrapDialled(stream: Duplex, generation: string): Connection {
  const holder: { connection: Connection | null } = { connection: null };
  const socket = intoOneBuffer(stream, holder);
  if (socket !== null) return (holder.connection = wrap(socket, generation, false));
  const connection = wrap(stream, generation, true);
  stream.on('data', (chunk: Buffer) => deliver(connection, chunk));
  return connection;
}

/**
 * The same connection, read into one buffer: a socket of this machine that somebody else connected (`dial`, in a portal that runs as root) is one
 * like any other, but only who makes a socket says where it is read into. So its handle gets another socket; node:net and node:child_process
 * make sockets of handles the same way. Null, and nothing was changed: it is no such socket, not connected yet, or bytes came already.
 */
function intoOneBuffer(stream: Duplex, holder: { readonly connection: Connection | null }): net.Socket | null {
  if (!(stream instanceof net.Socket) || stream.connecting || stream.destroyed) return null;
  if (stream.readableLength > 0 || stream.readableEnded) return null;
  const owner = stream as unknown as { _handle?: object | null };
  const handle = owner['_handle'];
  if (handle === undefined || handle === null) return null;
  owner['_handle'] = null;
  return new net.Socket({ handle, allowHalfOpen: true, onread: readInto(holder) } as net.SocketConstructorOpts);
}

function deliver(connection: Connection, chunk: Buffer): void {
  // An unsolicited answer: no further request is sent on this connection.
  if (connection.user === null) connection.destroy();
  else connection.user.data(chunk);
}

function wrap(stream: Duplex, generation: string, chunksStay: boolean): Connection {
  const connection: Connection = {
    place: -1,
    stream,
    parser: createResponseParser(),
    generation,
    chunksStay,
    user: null,
    kept: false,
    idleSinceMs: 0,
    idleMsMax: sharedLimits.proxyIdleConnectionMsMax,
    deadlineMs: Infinity,
    waitsSinceMs: Infinity,
    gone: false,
    keepsReading: (is) => !connection.gone && surviveWriteErrors(stream, is),
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    destroy: () => stream.destroy(),
  };
  const closed = (error: Error | null): void => {
    if (connection.gone) return;
    connection.gone = true;
    stream.destroy();
    connection.user?.closed(error);
  };
  stream.on('error', (error) => {
    // It is not destroyed: what it could not do was to write.
    if (stream.destroyed || connection.user === null) closed(error);
    else afterLastByte(connection, () => closed(error));
  });
  stream.on('close', () => closed(null));
  stream.on('end', () => {
    if (connection.user === null) closed(null);
    else connection.user.ended();
  });
  stream.on('drain', () => connection.user?.drained());
  stream.resume();
  return connection;
}

/** Node ends a socket that can't be written to, and throws away what it has not read. Only sockets of this machine; their streams have the option, and net sets it. */
function surviveWriteErrors(stream: Duplex, is: boolean): void {
  if (!(stream instanceof net.Socket)) return;
  const sides = stream as unknown as Record<string, { autoDestroy: boolean } | undefined>;
  for (const side of [sides['_readableState'], sides['_writableState']]) if (side !== undefined) side.autoDestroy = !is;
}

/** Calls back when nothing comes any more: of a peer that is gone the rest is there already, and each turn of the loop reads some of it. */
function afterLastByte(connection: Connection, done: () => void): void {
  const { stream } = connection;
  let seen = -1;
  const look = (): void => {
    const bytesRead = stream instanceof net.Socket ? stream.bytesRead : 0;
    if (stream.destroyed || (!stream.isPaused() && bytesRead === seen)) return done();
    seen = bytesRead;
    // Behind what can be read in that turn: a loop that is late calls timers first.
    setTimeout(() => setImmediate(look), limits.proxyLastBytesLookMs);
  };
  look();
}
