/**
 * A strict, incremental HTTP/1.1 response parser for one connection to a backend. It accepts only what RFC 9112 allows a server to send:
 * anything else throws BadResponse and the connection is dropped, so two parsers can never disagree on where an answer ends. Bodies are
 * passed on as slices of the received chunk: copy one to keep it past the call.
 */
import { limits as apiLimits } from '../limits.ts';
import { limits } from './limits.ts';
import { trimSpace } from '../http/space.ts';
import { responseKind } from './header-names.ts';

export class BadResponse extends Error {}

export interface ResponseHead {
  readonly minor: 0 | 1;
  readonly status: number;
  readonly reason: string;
  /** Names and values by turns, as they came. */
  readonly raw: readonly string[];
  readonly framing: 'none' | 'length' | 'chunked' | 'close';
  /** Bytes of the body when framing is 'length'. */
  readonly length: number;
  /** The connection may carry another request after this answer. */
  readonly reusable: boolean;
  /** From `Keep-Alive: timeout=N`; null when not said. */
  readonly idleMsMax: number | null;
  /** Value of the Connection header, '' without one. */
  readonly connection: string;
  readonly upgrade: string;
}

export interface ResponseSink {
  /** 1xx except 101. */
  informational(head: ResponseHead): void;
  head(head: ResponseHead): void;
  /** `last` is true for the final bytes of a body of known length. */
  body(slice: Buffer, last: boolean): void;
  /** Trailers: names and values alternate. `clean` is false when unsolicited bytes follow: the connection is not reused. */
  end(trailers: readonly string[], clean: boolean): void;
  /** 101: everything after the head belongs to the tunnel. */
  switched(head: ResponseHead, rest: Buffer): void;
}

type State = 'idle' | 'head' | 'length' | 'close' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'tunnel' | 'spent';

export interface ResponseParser {
  /** Before each request: whether it is a HEAD. */
  expect(isHead: boolean, sink: ResponseSink): void;
  /** Throws BadResponse. */
  push(chunk: Buffer): void;
  /** The backend closed its side: true when that properly ended the answer (or none was due). Throws BadResponse never. */
  finish(): boolean;
  /** True once a byte of the current answer was seen. */
  started(): boolean;
}

const empty: readonly string[] = [];
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const chunkSizeLine = /^([0-9A-Fa-f]{1,13})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

/** State of one connection's parser. */
interface Parsing {
  state: State;
  sink: ResponseSink | null;
  isHead: boolean;
  begun: boolean;
  /** Interim answers seen for this request. */
  interim: number;
  /** Bytes left of the body or of the chunk. */
  remaining: number;
  /** A head, size line or trailer line that has not wholly arrived. */
  partial: Buffer | null;
  trailers: string[];
  trailerBytes: number;
}

export function createResponseParser(): ResponseParser {
  const p: Parsing = {
    state: 'idle',
    sink: null,
    isHead: false,
    begun: false,
    interim: 0,
    remaining: 0,
    partial: null,
    trailers: [],
    trailerBytes: 0,
  };
  return {
    expect: (isHead, sink) => {
      p.isHead = isHead;
      p.sink = sink;
      p.begun = false;
      p.interim = 0;
      p.state = 'head';
    },
    push: (chunk) => {
      let at = 0;
      do at = step(p, chunk, at);
      while (at < chunk.length);
    },
    finish: () => {
      if (p.state === 'close') {
        done(p, empty, false);
        return true;
      }
      return p.state === 'idle' || p.state === 'spent';
    },
    started: () => p.begun,
  };
}

/** Consumes from `at` and returns where it stopped. */
function step(p: Parsing, chunk: Buffer, at: number): number {
  switch (p.state) {
    case 'head': {
      p.begun = true;
      const line = lineUpTo(p, '\r\n\r\n', chunk, at, apiLimits.headerBytesMax);
      return line === null ? chunk.length : takeHead(p, line.text, chunk, line.next);
    }
    case 'length':
      return takeLength(p, chunk, at);
    case 'close':
      p.sink!.body(chunk.subarray(at), false);
      return chunk.length;
    case 'chunk-size': {
      const line = lineUpTo(p, '\r\n', chunk, at, 256);
      if (line === null) return chunk.length;
      p.remaining = parseChunkSize(line.text);
      p.state = p.remaining === 0 ? 'trailers' : 'chunk-data';
      return line.next;
    }
    case 'chunk-data': {
      const stop = Math.min(chunk.length, at + p.remaining);
      p.remaining -= stop - at;
      if (p.remaining === 0) p.state = 'chunk-end';
      p.sink!.body(chunk.subarray(at, stop), false);
      return stop;
    }
    case 'chunk-end': {
      const line = lineUpTo(p, '\r\n', chunk, at, 0);
      if (line === null) return chunk.length;
      p.state = 'chunk-size';
      return line.next;
    }
    case 'trailers':
      return takeTrailer(p, chunk, at);
    case 'spent':
      // Bytes behind an answer: the connection is dropped with them.
      return chunk.length;
    case 'idle':
    case 'tunnel':
      break;
  }
  throw new BadResponse('the backend sent unsolicited bytes');
}

function done(p: Parsing, trailers: readonly string[], clean: boolean): void {
  p.state = clean ? 'idle' : 'spent';
  p.sink!.end(trailers, clean);
}

function takeHead(p: Parsing, text: string, chunk: Buffer, next: number): number {
  const head = parseHead(text, p.isHead);
  if (head.status === 101) {
    p.state = 'tunnel';
    p.sink!.switched(head, chunk.subarray(next));
    return chunk.length;
  }
  if (head.status < 200) {
    // They are passed on without waiting for the client: without an end they would fill the memory of the portal.
    p.interim += 1;
    if (p.interim > limits.proxyInterimAnswersMax) throw new BadResponse('more interim answers than the limit');
    p.sink!.informational(head);
    return next;
  }
  p.remaining = head.length;
  p.state = head.framing === 'chunked' ? 'chunk-size' : head.framing === 'none' ? 'idle' : head.framing;
  p.sink!.head(head);
  if (head.framing === 'none' || (head.framing === 'length' && head.length === 0)) done(p, empty, next === chunk.length);
  return next;
}

function takeLength(p: Parsing, chunk: Buffer, at: number): number {
  const stop = Math.min(chunk.length, at + p.remaining);
  p.remaining -= stop - at;
  p.sink!.body(at === 0 && stop === chunk.length ? chunk : chunk.subarray(at, stop), p.remaining === 0);
  if (p.remaining === 0) done(p, empty, stop === chunk.length);
  return stop;
}

/** Trailer lines end with an empty line. */
function takeTrailer(p: Parsing, chunk: Buffer, at: number): number {
  const line = lineUpTo(p, '\r\n', chunk, at, apiLimits.headerBytesMax);
  if (line === null) return chunk.length;
  if (line.text === '') {
    const all = p.trailers;
    p.trailers = [];
    p.trailerBytes = 0;
    done(p, all, line.next === chunk.length);
    return line.next;
  }
  p.trailerBytes += line.text.length;
  if (p.trailerBytes > apiLimits.headerBytesMax) throw new BadResponse('the trailers are larger than the limit');
  parseField(line.text, p.trailers);
  return line.next;
}

/** Text up to `mark`, over as many chunks as it takes. Null: more is needed and everything was kept. */
function lineUpTo(p: Parsing, mark: string, chunk: Buffer, at: number, bytesMax: number): { text: string; next: number } | null {
  const before = p.partial === null ? 0 : p.partial.length;
  if (p.partial === null) {
    const found = chunk.indexOf(mark, at, 'latin1');
    if (found !== -1) return { text: bounded(chunk.toString('latin1', at, found), bytesMax), next: found + mark.length };
    p.partial = Buffer.from(chunk.subarray(at));
  } else {
    p.partial = Buffer.concat([p.partial, chunk.subarray(at)]);
  }
  const partial = p.partial;
  const found = partial.indexOf(mark, Math.max(0, before - mark.length + 1), 'latin1');
  if (found === -1) {
    if (partial.length > bytesMax + mark.length) throw new BadResponse('a head or chunk line is larger than the limit');
    // Without its carriage return no end would ever be found.
    if (/[^\r]\n/.test(partial.toString('latin1', Math.max(0, before - 2)))) throw new BadResponse('a line ends without a carriage return');
    return null;
  }
  p.partial = null;
  return { text: bounded(partial.toString('latin1', 0, found), bytesMax), next: at + found + mark.length - before };
}

function bounded(text: string, bytesMax: number): string {
  if (text.length > bytesMax) throw new BadResponse('a head or chunk line is larger than the limit');
  return text;
}

function parseChunkSize(text: string): number {
  const match = chunkSizeLine.exec(text);
  if (match === null) throw new BadResponse('malformed chunk size');
  return Number.parseInt(match[1]!, 16);
}

function parseField(line: string, into: string[]): number {
  const colon = line.indexOf(':');
  const value = trimSpace(line.slice(colon + 1));
  if (colon < 1 || !fieldValue.test(value)) throw new BadResponse('malformed header line');
  return into.push(line.slice(0, colon), value);
}

interface Framing {
  contentLength: number;
  chunked: boolean;
  connection: string;
  upgrade: string;
  idleMsMax: number | null;
}

function parseHead(text: string, isHead: boolean): ResponseHead {
  let at = text.indexOf('\r\n');
  const match = statusLine.exec(at === -1 ? text : text.slice(0, at));
  if (match === null) throw new BadResponse('malformed status line');
  const status = Number(match[2]);
  const minor = match[1] === '1' ? 1 : 0;
  const raw: string[] = [];
  const framing: Framing = { contentLength: -1, chunked: false, connection: '', upgrade: '', idleMsMax: null };
  while (at !== -1) {
    const next = text.indexOf('\r\n', at + 2);
    parseField(next === -1 ? text.slice(at + 2) : text.slice(at + 2, next), raw);
    noteFraming(framing, raw[raw.length - 2]!, raw[raw.length - 1]!);
    at = next;
  }
  if (raw.length > 2 * limits.proxyResponseHeadersMax) throw new BadResponse('more headers than the limit');
  if (framing.chunked && (framing.contentLength !== -1 || minor === 0))
    throw new BadResponse('Transfer-Encoding beside Content-Length or in HTTP/1.0');
  const bodyless = isHead || status < 200 || status === 204 || status === 304;
  const kind = bodyless ? 'none' : framing.chunked ? 'chunked' : framing.contentLength === -1 ? 'close' : 'length';
  const connection = framing.connection;
  const keeps = connection === '' ? minor === 1 : minor === 1 ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection);
  return {
    minor,
    status,
    reason: match[3] ?? '',
    raw,
    framing: kind,
    length: kind === 'length' ? framing.contentLength : 0,
    reusable: keeps && kind !== 'close',
    idleMsMax: framing.idleMsMax,
    connection,
    upgrade: framing.upgrade,
  };
}

function noteFraming(framing: Framing, name: string, value: string): void {
  switch (responseKind(name)) {
    case 'invalid':
      throw new BadResponse('malformed header name');
    case 'contentLength':
      if (framing.contentLength !== -1 || !/^\d{1,15}$/.test(value)) throw new BadResponse('malformed or second Content-Length');
      framing.contentLength = Number(value);
      return;
    case 'transferEncoding':
      if (framing.chunked || value.toLowerCase() !== 'chunked') throw new BadResponse('Transfer-Encoding other than chunked');
      framing.chunked = true;
      return;
    case 'connection':
      framing.connection = framing.connection === '' ? value : `${framing.connection}, ${value}`;
      return;
    case 'keepAlive': {
      const seconds = /\btimeout=(\d{1,6})\b/i.exec(value)?.[1];
      if (seconds !== undefined) framing.idleMsMax = Number(seconds) * 1_000;
      return;
    }
    case 'upgrade':
      framing.upgrade = value;
      return;
    default:
  }
}
