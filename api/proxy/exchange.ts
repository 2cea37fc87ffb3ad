/**
 * Carries a request and its answer over a connection to a backend, streamed both ways. Memory is bounded by one read buffer per direction (over ssh:
 * `proxyQueuedBytesMax` and the window of the channel): while the client's socket has not taken a chunk, the backend is not read, and the other way
 * round.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../schema/clock.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import type { Connection } from './connection.ts';
import { requestKind, responseKind } from './header-names.ts';
import { bytesMoved } from '../connections/young-memory.ts';
import { refusedByGate } from './response-headers.ts';
import { BadResponse, type ResponseHead, type ResponseSink } from './response-parser.ts';

export interface ExchangeFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly clock: Clock;
  /** The whole head for the backend. */
  readonly head: string;
  readonly body: 'none' | 'length' | 'chunked';
  /** Whether trailers of the request go with it. */
  readonly hasTrailers: boolean;
  /** Names and values by turns: what the client gets to see of them. */
  headers(answer: ResponseHead): string[];
  /** The connection is no longer used. */
  released(connection: Connection, reusable: boolean): void;
  /** The request waits long for its answer; called each second. The answer ends the wait. */
  doubted(): ExchangeFailure | null;
  /** The used connection turned out to be closed and the request may be sent again. */
  stale(): void;
  /** Nothing was sent to the client yet: the caller answers. */
  failed(failure: ExchangeFailure): void;
  /** The answer was handed over wholly, or the client is gone (status 0), or it broke off midway. */
  finished(status: number): void;
  /** The protocol that the request asked to switch to, '' for none: only that may be answered with 101. */
  readonly protocol: string;
  /** 101: the caller owns the connection from now on. */
  switched(connection: Connection, head: ResponseHead, rest: Buffer): void;
}

/** Small bodies leave in one write together with the head; as text that needs no second buffer. */
const oneWriteBytesMax = 16 * 1_024;
const nothing = (): void => {};
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Runs the exchange. Returns what ends it early: the client went away, or must be answered (or cut off) with `failure`. */
export function runExchange(exchange: Exchange, connection: Connection): (failure?: ExchangeFailure) => void {
  const { req, res } = exchange;
  const reused = connection.kept;
  const phase: Phase = { requestSent: exchange.body === 'none', status: 0, unshown: false, complete: false, over: false };

  let unlinkBody = nothing;
  const leave = (reusable: boolean): void => {
    phase.over = true;
    if (!phase.requestSent) unlinkBody();
    if (exchange.body !== 'none') connection.keepsReading(false);
    exchange.released(connection, reusable && phase.requestSent && connection.stream.errored === null);
  };
  const finish = (reusable: boolean): void => {
    leave(reusable);
    exchange.finished(phase.status);
  };
  const fail = (failure: ExchangeFailure, isFinal = false): void => {
    if (phase.over) return;
    // The client was cut off together with the backend (its app ended), whose connection is gone first: nobody to answer, and nothing to ask again.
    if (phase.status === 0 && !isFinal && (res.destroyed || req.socket.destroyed)) return finish(false);
    const repeat = !isFinal && reused && failure.code === 'BACKEND_UNREACHABLE' && exchange.body === 'none' && !connection.parser.started();
    leave(false);
    if (phase.status !== 0) {
      // Cutting the client's connection is the only honest way to say that a begun answer is incomplete.
      res.destroy();
      exchange.finished(phase.status);
    } else if (repeat && repeatable.has(req.method!)) {
      exchange.stale();
    } else {
      exchange.failed(failure);
    }
  };

  connection.user = {
    data: (chunk) => {
      try {
        connection.parser.push(chunk);
      } catch (error) {
        fail(failureOf(error));
        return;
      }
      // Streams (SSE, long polls) show their head before the first byte of the body. Not by `flushHeaders`, which writes it as UTF-8.
      if (phase.unshown && !phase.over) res.write('', 'latin1');
      phase.unshown = false;
    },
    ended: () => {
      if (!connection.parser.finish()) fail({ code: 'BACKEND_UNREACHABLE', message: 'the backend ended the connection before its answer' });
    },
    closed: () => {
      if (!phase.complete) fail({ code: 'BACKEND_UNREACHABLE', message: 'the backend broke the connection' });
    },
    drained: () => {
      if (!phase.requestSent && !phase.over) req.resume();
    },
    deadlinePassed: () => fail({ code: 'BACKEND_TIMEOUT', message: 'the backend did not answer in time' }),
    doubted: () => {
      const failure = exchange.doubted();
      if (failure !== null) fail(failure);
    },
  };
  connection.parser.expect(req.method === 'HEAD', answerSink(exchange, connection, phase, finish));
  connection.stream.write(exchange.head, 'latin1');
  if (phase.requestSent) waitForAnswer(exchange, connection);
  else unlinkBody = sendRequestBody(exchange, connection, phase);
  return (failure) => {
    if (phase.over) return;
    if (failure !== undefined) return fail(failure, true);
    phase.status = 0;
    finish(false);
  };
}

/** The request is whole: from here on the backend is what is waited for. */
function waitForAnswer({ clock }: Exchange, connection: Connection): void {
  connection.waitsSinceMs = clock.monotonicMs();
  connection.deadlineMs = connection.waitsSinceMs + limits.proxyAnswerMsMax;
}

interface Phase {
  requestSent: boolean;
  /** Status of the answer; 0 until its head was taken. */
  status: number;
  /** The head waits for the first bytes of the body to leave with. */
  unshown: boolean;
  /** The backend has said everything; only the client's socket is behind. */
  complete: boolean;
  over: boolean;
}

function answerSink(exchange: Exchange, connection: Connection, phase: Phase, finish: (reusable: boolean) => void): ResponseSink {
  const { res } = exchange;
  let reusable = false;
  /** The client's socket took everything: the read buffer behind the last chunk may be filled again. */
  const flushed = (): void => {
    if (!phase.over) connection.resume();
  };
  return {
    informational: (head) => sendEarlyHints(res, head),
    head: (head) => {
      if (refusedByGate(head)) throw new RefusedToken();
      writeHead(res, head, exchange.headers(head));
      phase.status = head.status;
      phase.unshown = head.framing === 'chunked' || head.framing === 'close';
      connection.deadlineMs = Infinity;
      connection.waitsSinceMs = Infinity;
      if (head.idleMsMax !== null) connection.idleMsMax = Math.max(0, head.idleMsMax - 1_000);
      reusable = head.reusable;
    },
    body: (slice, last) => {
      phase.unshown = false;
      if (last) {
        if (slice.length <= oneWriteBytesMax) res.end(slice.toString('latin1'), 'latin1');
        else res.end(slice);
        return;
      }
      res.write(slice, flushed);
      if (connection.chunksStay) {
        bytesMoved(slice.length);
        // Node corks the socket until the next tick: everything that came with one read of the ssh connection leaves together.
        if (res.writableLength > limits.proxyQueuedBytesMax) connection.pause();
        return;
      }
      // The read buffer is only ours until the next read.
      res.socket?.uncork();
      if (res.writableLength > 0) connection.pause();
    },
    end: (trailers, clean) => {
      if (!res.writableEnded) {
        if (trailers.length > 0) res.addTrailers(trailerPairs(trailers));
        res.end();
      }
      phase.complete = true;
      if (res.writableLength === 0) return finish(reusable && clean);
      connection.pause();
      res.once('finish', () => {
        if (phase.over) return;
        if (!connection.gone) connection.resume();
        finish(reusable && clean && !connection.gone);
      });
    },
    switched: (head, rest) => {
      const asked = exchange.protocol !== '' && head.upgrade.toLowerCase() === exchange.protocol.toLowerCase();
      if (!asked || !/\bupgrade\b/i.test(head.connection))
        throw new BadResponse('the backend switched to a protocol that was not asked for');
      phase.over = true;
      connection.deadlineMs = Infinity;
      connection.waitsSinceMs = Infinity;
      exchange.switched(connection, head, rest);
    },
  };
}

class RefusedToken extends Error {}

/** Throws BadResponse for a head that Node does not write: nothing of it was sent, so the client gets a coded answer. */
function writeHead(res: ServerResponse, { status, reason }: ResponseHead, headers: string[]): void {
  try {
    res.writeHead(status, reason, headers);
  } catch (error) {
    throw new BadResponse(`the head of the answer can't be passed on: ${(error as Error).message}`);
  }
}

function failureOf(error: unknown): ExchangeFailure {
  if (error instanceof BadResponse) return { code: 'BACKEND_BAD_RESPONSE', message: error.message };
  if (error instanceof RefusedToken)
    return { code: 'BACKEND_REFUSED_TOKEN', message: 'the backend runs with another token than the portal knows' };
  return { code: 'INTERNAL', message: 'the answer of the backend could not be passed on' };
}

/** Streams the request's body to the backend. Returns what ends that early. */
function sendRequestBody(exchange: Exchange, connection: Connection, phase: Phase): () => void {
  const { req, body, hasTrailers } = exchange;
  connection.keepsReading(true);
  const onBody = (chunk: Buffer): void => {
    // Its answer, if there is one, is on its way.
    if (connection.stream.errored !== null) return;
    bytesMoved(chunk.length);
    if (!sendBody(connection, body, chunk)) req.pause();
  };
  const onBodyEnd = (): void => {
    phase.requestSent = true;
    if (body === 'chunked') connection.stream.write(`0\r\n${hasTrailers ? requestTrailers(req) : ''}\r\n`, 'latin1');
    if (phase.status === 0) waitForAnswer(exchange, connection);
  };
  req.on('data', onBody);
  req.on('end', onBodyEnd);
  return () => {
    req.off('data', onBody);
    req.off('end', onBodyEnd);
    // The rest of an unwanted body is read and dropped, so that the client can read its answer.
    req.resume();
  };
}

/** False when the backend's side is full. */
function sendBody(connection: Connection, body: Exchange['body'], chunk: Buffer): boolean {
  if (body !== 'chunked') return connection.stream.write(chunk);
  connection.stream.cork();
  connection.stream.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
  connection.stream.write(chunk);
  const more = connection.stream.write('\r\n', 'latin1');
  connection.stream.uncork();
  return more;
}

/** Trailers follow the rules of headers; framing and routing fields are never among them (RFC 9110 6.5.1). */
function requestTrailers(req: IncomingMessage): string {
  let lines = '';
  for (let index = 0; index < req.rawTrailers.length; index += 2) {
    const name = req.rawTrailers[index]!;
    const value = req.rawTrailers[index + 1]!;
    if (requestKind(name) === 'forward' && !/[\r\n\0]/.test(value)) lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

function trailerPairs(trailers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < trailers.length; index += 2) {
    // Only names that would pass as headers and carry no meaning for the message itself.
    if (responseKind(trailers[index]!) === 'forward') pairs.push([trailers[index]!, trailers[index + 1]!]);
  }
  return pairs;
}

/** 103 is passed on when Node takes its links; other 1xx carry nothing for a browser. HTTP/1.0 has no interim answers (RFC 9110 15.2). */
function sendEarlyHints(res: ServerResponse, head: ResponseHead): void {
  if (head.status !== 103 || res.headersSent || res.req.httpVersionMinor === 0) return;
  const links = head.raw.filter((_, index) => index % 2 === 1 && head.raw[index - 1]!.toLowerCase() === 'link');
  if (links.length === 0) return;
  try {
    res.writeEarlyHints({ link: links });
  } catch {
    // A link that Node refuses is a hint less, never a failed answer.
  }
}
