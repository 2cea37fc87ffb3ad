/**
 * The command line's way to a running portal: HTTP over the 0600 unix socket STATE/svc.sock, where every caller is admin. The
 * routes are those of api/routes/admin.ts.
 */
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { SvcError } from '../schema/errors.ts';
import type { Problem } from '../schema/wire/http.ts';

/** What the portal answered with its own code: shown as it stands. */
export class PortalError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'PortalError';
    this.code = code;
  }
}

export interface Client {
  get<T>(route: string, query?: Query): Promise<T>;
  post<T>(route: string, body?: unknown): Promise<T>;
  put<T>(route: string, body: unknown): Promise<T>;
  delete<T>(route: string): Promise<T>;
  /** One JSON object a line, as they come: what a POST tells while it goes on. */
  follow<T>(route: string, body: unknown): AsyncIterable<T>;
  /** Text as it comes; ends when the portal ends it or the signal fires. */
  text(route: string, query: Query, signal: AbortSignal): AsyncIterable<string>;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** Longest wait for an answer: a restart waits for a stop and for a start. */
const answerMsMax = 60_000;
const answerBytesMax = 64 * 1024 * 1024;

export function createClient(stateDir: string): Client {
  const call = async <T>(method: string, route: string, body?: unknown): Promise<T> => {
    const signal = AbortSignal.timeout(answerMsMax);
    const response = await open(stateDir, method, route, body, signal);
    const text = await readAll(response);
    return JSON.parse(text) as T;
  };
  return {
    get: (route, query = {}) => call('GET', withQuery(route, query)),
    post: (route, body = {}) => call('POST', route, body),
    put: (route, body) => call('PUT', route, body),
    delete: (route) => call('DELETE', route),
    follow: (route, body) => follow(stateDir, route, body),
    text: (route, query, signal) => stream(stateDir, withQuery(route, query), signal),
  };
}

async function* follow<T>(stateDir: string, route: string, body: unknown): AsyncIterable<T> {
  const response = await open(stateDir, 'POST', route, body, new AbortController().signal);
  for await (const line of createInterface({ input: response })) yield JSON.parse(line) as T;
}

async function* stream(stateDir: string, route: string, signal: AbortSignal): AsyncIterable<string> {
  try {
    const response = await open(stateDir, 'GET', route, undefined, signal);
    response.setEncoding('utf8');
    for await (const chunk of response) yield chunk as string;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves with a 2xx answer. SvcError PORTAL_NOT_RUNNING, PortalError with the portal's code, or TIMEOUT. */
function open(stateDir: string, method: string, route: string, body: unknown, signal: AbortSignal): Promise<http.IncomingMessage> {
  const socketPath = socketOf(stateDir);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers = payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method, path: route, headers: { host: 'localhost', ...headers }, agent: false, signal });
    request.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, stateDir, signal)));
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) resolve(response);
      else readAll(response).then((text) => reject(problemOf(status, text)), reject);
    });
    request.end(payload);
  });
}

/** The shorter spelling: sun_path holds 107 bytes and state folders may lie deep. */
function socketOf(stateDir: string): string {
  const absolute = path.resolve(stateDir, 'svc.sock');
  const relative = path.relative(process.cwd(), absolute);
  return relative.length < absolute.length ? `./${relative}` : absolute;
}

function explain(error: NodeJS.ErrnoException, stateDir: string, signal: AbortSignal): Error {
  if (signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError') {
    return new SvcError('TIMEOUT', `the portal did not answer within ${answerMsMax / 1000} s`);
  }
  if (error.code === 'EACCES') return new SvcError('FORBIDDEN', `${path.join(stateDir, 'svc.sock')} belongs to another account`);
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR') {
    const state = stateDir === 'state' ? '' : ` --state ${stateDir}`;
    return new SvcError(
      'PORTAL_NOT_RUNNING',
      `no portal answers on ${path.join(stateDir, 'svc.sock')}; start one with: svc up DIR${state}`,
    );
  }
  return error;
}

function problemOf(status: number, text: string): Error {
  try {
    const { code, detail } = JSON.parse(text) as Partial<Problem>;
    if (typeof code === 'string' && typeof detail === 'string') return new PortalError(code, detail);
  } catch {
    // Not a problem document: told below.
  }
  return new PortalError(`HTTP_${status}`, 'the portal answered without a problem document');
}

async function readAll(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > answerBytesMax) throw new SvcError('TOO_LARGE', `the portal's answer is larger than ${answerBytesMax} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function withQuery(route: string, query: Query): string {
  const set = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return set.length === 0 ? route : `${route}?${new URLSearchParams(set as [string, string][]).toString()}`;
}
