/**
 * The HTTP client of svc: undici, HTTP/1.1, one request per connection, with bounds for silence and head. Used by probes and repository
 * reads (controller/), downloads and uploads (kit/), the control socket (bin/client.ts).
 * Decision: docs/decisions/0188-undici.md
 */
import { connect, type Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { Client } from 'undici';
import { limits } from './limits.ts';

export interface Question {
  readonly method: string;
  /** `http(s)://host[:port]`; over a socket, what is to be its Host. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
}

export interface Way {
  /** Longest silence: until there is a connection, until the head of the answer, and within its body. 0: the caller ends it by its own clock. */
  readonly silentMsMax: number;
  /** The body is a stream of events: it may be silent without a limit. */
  readonly isStream?: boolean;
  readonly socketPath?: string;
  /** A connection that is open already: a socket, or a channel of ssh. */
  readonly stream?: Duplex;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Iterating over it throws when it breaks off. */
  readonly body: Readable;
  /** Ends the connection and drops the rest of the body. */
  end(): void;
}

/** Resolves with the head of the answer, with any status; redirects are not followed. Rejects when there is none: see `whyNone`. */
export async function ask({ origin, method, path, headers = {}, body }: Question, way: Way): Promise<Answer> {
  // While undici is loaded, the other side learns who is there: the portal starts a program for that.
  const opened = opening(way);
  const { Client } = await import('./undici.ts');
  const client = new Client(origin, clientOptions(way, opened));
  const end = (): void => {
    void client.destroy();
    void opened?.then((socket) => socket.destroy(), ignore);
  };
  try {
    const { signal } = way;
    const answer = await client.request({ method, path, headers, body: body ?? null, reset: true, ...(signal && { signal }) });
    // A reader of the body gets its error; a caller that ends it early need not.
    answer.body.on('error', ignore);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body, end };
  } catch (error) {
    end();
    throw error;
  }
}

/** undici uses only methods of an open connection that every Duplex has; its types demand more. */
function opening({ socketPath, stream }: Way): Promise<Socket> | null {
  if (stream) return Promise.resolve(stream as Socket);
  if (socketPath === undefined) return null;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect(socketPath, () => resolve(socket));
  // undici reports later errors: it watches the socket once it has taken it.
  socket.on('error', reject);
  promise.catch(ignore);
  return promise;
}

const ignore = (): void => undefined;

function clientOptions({ silentMsMax, isStream = false }: Way, opened: Promise<Socket> | null): Client.Options {
  return {
    allowH2: false,
    maxHeaderSize: limits.answerHeadBytesMax,
    connectTimeout: silentMsMax,
    headersTimeout: silentMsMax,
    bodyTimeout: isStream ? 0 : silentMsMax,
    ...(opened && {
      connect: (_options, connected) =>
        void opened.then(
          (socket) => connected(null, socket),
          (error: Error) => connected(error, null),
        ),
    }),
  } satisfies Client.Options;
}

/** Its bytes, or null when there are more of them. */
export async function readWhole({ body }: Pick<Answer, 'body'>, bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Value of a header that is sent once; '' without it. */
export function headerOf({ headers }: Pick<Answer, 'headers'>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** `silentMsMax` passed. */
export function wasSilent(error: unknown): boolean {
  const { code = '' } = error as { readonly code?: string };
  return ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].includes(code);
}

/** In words for people, by the system's code where there is one. */
export function whyNone(error: unknown): string {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (wasSilent(error)) return 'it was silent for too long';
  return code.startsWith('UND_ERR_') || code === '' ? message || 'no answer' : code;
}
