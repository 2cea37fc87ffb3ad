/**
 * Reads the head of a client's request once and writes the head that the backend gets. Everything the backend learns about the
 * hop before comes from here: hop-by-hop fields, reserved names and portal cookies are dropped, our own are added.
 * Source: rules 5. Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../schema/errors.ts';
import { trimSpace } from '../http/space.ts';
import type { ProxyCall } from './contract.ts';
import { connectionTokens, portalCookie, requestKind } from './header-names.ts';

export interface RequestHead {
  readonly refusal: { readonly code: ErrorCode; readonly message: string } | null;
  /** Header lines for the backend, each with CRLF, without framing, token and forwarding lines. */
  readonly lines: string;
  readonly host: string;
  readonly body: 'none' | 'length' | 'chunked';
  /** The protocol to switch to; '' when the request is an ordinary one, even if it has an Upgrade header. */
  readonly upgrade: string;
  readonly fetchSite: string;
  readonly fetchMode: string;
  readonly fetchDest: string;
  readonly origin: string;
  readonly accept: string;
  readonly acceptLanguage: string;
  /** Size of the cookies for the backend. */
  readonly cookieBytes: number;
  /** Made by a script, or by a browser that only looks ahead: no person waits for a page. */
  readonly scripted: boolean;
}

interface Draft {
  refusal: { code: ErrorCode; message: string } | null;
  lines: string;
  host: string;
  body: 'none' | 'length' | 'chunked';
  contentLength: string;
  upgrade: string;
  fetchSite: string;
  fetchMode: string;
  fetchDest: string;
  origin: string;
  accept: string;
  acceptLanguage: string;
  cookieBytes: number;
  scripted: boolean;
  hosts: number;
}

const lineBreak = /[\r\n\0]/;

/** `upgrade`: the server took the request for a switch of protocols. */
export function readRequestHead(req: Pick<IncomingMessage, 'method' | 'rawHeaders'>, upgrade = false): RequestHead {
  const raw = req.rawHeaders;
  const draft: Draft = {
    refusal: null,
    lines: '',
    host: '',
    body: 'none',
    contentLength: '',
    upgrade: '',
    fetchSite: '',
    fetchMode: '',
    fetchDest: '',
    origin: '',
    accept: '',
    acceptLanguage: '',
    cookieBytes: 0,
    scripted: false,
    hosts: 0,
  };
  const named = namedByConnection(raw);
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    const value = raw[index + 1]!;
    if (lineBreak.test(value)) return refuse(draft, `header ${name} holds a line break or NUL`);
    takeHeader(draft, name, value, named);
  }
  if (draft.hosts !== 1) return refuse(draft, `the request has ${draft.hosts} Host headers, expected one`);
  if (draft.contentLength !== '' && draft.body === 'chunked')
    return refuse(draft, 'the request has both Content-Length and Transfer-Encoding');
  if (!upgrade) draft.upgrade = '';
  if (req.method === 'TRACE') return refuse(draft, 'TRACE would show the token of the portal to the page');
  return draft;
}

/** Head of a request of another app: with the portal's additions, which no client may send. */
export function callHead(method: string | undefined, { headers, added }: Pick<ProxyCall, 'headers' | 'added'>): RequestHead {
  const head = readRequestHead({ method, rawHeaders: [...headers] });
  return { ...head, lines: added.reduce((lines, word, index) => lines + word + (index % 2 === 0 ? ': ' : '\r\n'), head.lines) };
}

function refuse(draft: Draft, message: string): RequestHead {
  draft.refusal ??= { code: 'BAD_REQUEST', message };
  return draft;
}

/** Null in the usual case: nothing but keep-alive, close or upgrade is named. */
function namedByConnection(raw: readonly string[]): ReadonlySet<string> | null {
  let named: Set<string> | null = null;
  for (let index = 0; index < raw.length; index += 2) {
    if (requestKind(raw[index]!) !== 'connection') continue;
    const value = raw[index + 1]!;
    if (value === 'keep-alive' || value === 'close' || value === 'Upgrade') continue;
    named ??= new Set();
    for (const token of connectionTokens(value)) named.add(token);
  }
  return named;
}

function takeHeader(draft: Draft, name: string, value: string, named: ReadonlySet<string> | null): void {
  const kind = requestKind(name);
  switch (kind) {
    case 'forward':
      break;
    case 'drop':
    case 'connection':
      return;
    case 'host':
      draft.hosts += 1;
      draft.host = value;
      return;
    case 'contentLength':
      takeContentLength(draft, value);
      return;
    case 'transferEncoding':
      takeTransferEncoding(draft, value);
      return;
    case 'te':
      // The only member that does not end at this hop (RFC 9110 10.1.4).
      if (/\btrailers\b/i.test(value)) draft.lines += 'TE: trailers\r\n';
      return;
    case 'trailer': {
      const passing = connectionTokens(value).filter((each) => requestKind(each) === 'forward');
      if (passing.length > 0) draft.lines += `Trailer: ${passing.join(', ')}\r\n`;
      return;
    }
    case 'upgrade':
      draft.upgrade = draft.upgrade === '' ? trimSpace(value) : `${draft.upgrade}, ${trimSpace(value)}`;
      return;
    case 'cookie': {
      const kept = withoutPortalCookies(value);
      draft.cookieBytes += kept.length;
      if (kept !== '') draft.lines += `Cookie: ${kept}\r\n`;
      return;
    }
    default:
      noteContext(draft, kind, value);
  }
  if (named !== null && named.has(name.toLowerCase())) return;
  draft.lines += `${name}: ${value}\r\n`;
}

/** Headers that go on to the backend and also steer the proxy. */
function noteContext(draft: Draft, kind: string, value: string): void {
  if (kind === 'origin') draft.origin = draft.origin === '' ? value : 'null';
  else if (kind === 'fetchSite') draft.fetchSite = value;
  else if (kind === 'fetchMode') draft.fetchMode = value;
  else if (kind === 'fetchDest') draft.fetchDest = value;
  else if (kind === 'accept') draft.accept = value;
  else if (kind === 'acceptLanguage') draft.acceptLanguage = value;
  else if (kind === 'requestedWith' || /\bpre(?:fetch|view)\b/i.test(value)) draft.scripted = true;
}

function takeContentLength(draft: Draft, value: string): void {
  if (draft.contentLength !== '' || !/^\d{1,15}$/.test(value)) {
    draft.refusal ??= { code: 'BAD_REQUEST', message: 'the request has a malformed or second Content-Length' };
    return;
  }
  draft.contentLength = value;
  draft.lines += `Content-Length: ${value}\r\n`;
  if (Number(value) > 0 && draft.body === 'none') draft.body = 'length';
}

function takeTransferEncoding(draft: Draft, value: string): void {
  if (draft.body === 'chunked' || trimSpace(value).toLowerCase() !== 'chunked') {
    draft.refusal ??= { code: 'BAD_REQUEST', message: 'the request has a Transfer-Encoding other than chunked' };
    return;
  }
  draft.body = 'chunked';
  draft.lines += 'Transfer-Encoding: chunked\r\n';
}

export function withoutPortalCookies(value: string): string {
  if (!/svc/i.test(value)) return value;
  return value
    .split(';')
    .map(trimSpace)
    .filter((pair) => pair !== '' && !portalCookie.test(pair))
    .join('; ');
}

export interface Forwarding {
  readonly proto: 'http' | 'https';
  readonly basePath: string;
}

/** Values that only the portal sends to a backend; '' for none. */
export interface Secrets {
  readonly token: string;
  /** For X-Svc-Em-Nome. */
  readonly mandate: string;
}

/** The whole head for the backend. `path` was checked by pathFault. */
export function backendHead(
  req: IncomingMessage,
  head: RequestHead,
  path: string,
  { token, mandate }: Secrets,
  forwarding: Forwarding,
): string {
  const secrets = `${token === '' ? '' : `X-Svc-App-Token: ${token}\r\n`}${mandate === '' ? '' : `X-Svc-Em-Nome: ${mandate}\r\n`}`;
  const upgrade = head.upgrade === '' ? '' : `Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n`;
  return (
    `${req.method} ${path} HTTP/1.1\r\nHost: ${head.host}\r\n${secrets}` +
    `${forwardedLines(req.socket, head.host, forwarding)}${upgrade}${head.lines}\r\n`
  );
}

/** Programs prepend it to paths that begin with a slash: none at the root, and no slash at its end. */
function prefixLine(basePath: string): string {
  const prefix = basePath.replace(/\/$/, '');
  return prefix === '' ? '' : `X-Forwarded-Prefix: ${prefix}\r\n`;
}

interface Remembered {
  readonly host: string;
  readonly basePath: string;
  readonly lines: string;
}
const rememberedLines = new WeakMap<Duplex, Remembered>();

function forwardedLines(socket: IncomingMessage['socket'], host: string, forwarding: Forwarding): string {
  const before = rememberedLines.get(socket);
  if (before !== undefined && before.host === host && before.basePath === forwarding.basePath) return before.lines;
  const address = (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '');
  const quoted = address.includes(':') ? `"[${address}]"` : address;
  const lines =
    `Forwarded: for=${quoted};host="${host.replaceAll(/["\\]/g, '')}";proto=${forwarding.proto}\r\n` +
    `X-Forwarded-For: ${address}\r\nX-Forwarded-Host: ${host}\r\nX-Forwarded-Proto: ${forwarding.proto}\r\n` +
    prefixLine(forwarding.basePath);
  rememberedLines.set(socket, { host, basePath: forwarding.basePath, lines });
  return lines;
}
