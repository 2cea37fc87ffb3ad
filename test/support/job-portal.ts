/** The portal as the wrapper of a job sees it, for tests: a real HTTP server with the routes of api/queue, which can break off as networks do. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJobPath, shaPattern } from '../../schema/jobs.ts';
import { limits } from '../../schema/limits.ts';

export interface JobPortal {
  readonly url: string;
  readonly token: string;
  /** All lines of `batida`, in order. */
  readonly beats: string[];
  /** Requests in order, as `METHOD path`. */
  readonly requests: string[];
  log(): string;
  /** By path below the work folder; only those that came whole. */
  outputs(): Readonly<Record<string, string>>;
  /** Paths of the list that was taken last. */
  announced(): readonly string[];
  input(path: string, bytes: Buffer): void;
  /** From here on the job counts as cancelled. */
  cancel(): void;
  /** Called for each request; `break`: the connection is cut half-way through the answer or the body, `lose`: it is done and no answer comes. */
  fault: (request: string, nth: number) => 'break' | 'lose' | number | null;
  /** Nothing listens until the returned function is called, which listens on the same port. */
  away(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface State {
  readonly inputs: { readonly sha: string; readonly path: string; readonly bytes: Buffer }[];
  readonly wanted: Map<string, { readonly path: string; readonly size: number; bytes: Buffer }>;
  announced: readonly string[];
  log: Buffer;
  cancelled: boolean;
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export async function startJobPortal(token = 'segredo-do-trabalho'): Promise<JobPortal> {
  const state: State = { inputs: [], wanted: new Map(), announced: [], log: Buffer.alloc(0), cancelled: false };
  const beats: string[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    const what = `${request.method} ${request.url}`;
    requests.push(what);
    const fault = portal.fault(what, requests.length);
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    if (typeof fault === 'number') return void request.resume().on('end', () => response.writeHead(fault).end());
    const isBroken = fault === 'break';
    const body = await bodyOf(request, isBroken && request.method === 'PUT').catch(() => null);
    if (body === null) return;
    const [status, bytes] = state.cancelled ? [410, Buffer.alloc(0)] : answer(state, beats, request, body);
    if (fault === 'lose' || (isBroken && request.method === 'PUT')) return void socket.destroy();
    response.writeHead(status, { 'content-length': bytes.length });
    if (!isBroken) return void response.end(bytes);
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => socket.destroy());
  };
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const portal: JobPortal = {
    url: `http://127.0.0.1:${port}/api/fila/executor`,
    token,
    beats,
    requests,
    log: () => state.log.toString('utf8'),
    outputs: () =>
      Object.fromEntries(
        [...state.wanted].flatMap(([sha, { path, bytes }]) => (sha256(bytes) === sha ? [[path, bytes.toString('utf8')]] : [])),
      ),
    announced: () => state.announced,
    input: (path, bytes) => {
      state.inputs.push({ sha: sha256(bytes), path, bytes });
    },
    cancel: () => {
      state.cancelled = true;
    },
    fault: () => null,
    away: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return () => listen(server, port);
    },
    close: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  return portal;
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Half of it, and the connection is cut, where that is asked for. */
async function bodyOf(request: IncomingMessage, half: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const whole = Number(request.headers['content-length'] ?? 0);
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (half && bytes >= whole / 2) break;
  }
  return Buffer.concat(chunks).subarray(0, half ? Math.floor(whole / 2) : undefined);
}

const nothing = Buffer.alloc(0);

function answer(state: State, beats: string[], request: IncomingMessage, body: Buffer): readonly [number, Buffer] {
  const url = new URL(request.url ?? '', 'http://portal');
  const path = url.pathname.replace('/api/fila/executor', '');
  const from = Number(url.searchParams.get('desde') ?? '0');
  const sha = path.split('/')[2] ?? '';
  if (path === '/batida') {
    const lines = body.toString('utf8').trim().split('\n');
    beats.push(...lines);
    return lines.includes('estado=iniciado') ? [200, listOf(state)] : [204, nothing];
  }
  if (path === '/entradas') return [200, listOf(state)];
  if (path.startsWith('/entradas/')) {
    const found = state.inputs.find((one) => one.sha === sha);
    const span = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    if (found === undefined) return [404, nothing];
    return span === null ? [200, found.bytes] : [206, found.bytes.subarray(Number(span[1]), span[2] ? Number(span[2]) + 1 : undefined)];
  }
  if (path === '/registo') {
    if (from > state.log.length) return [409, nothing];
    if (from + body.length > state.log.length) state.log = Buffer.concat([state.log.subarray(0, from), body]);
    return [200, Buffer.from(JSON.stringify({ ate: state.log.length }))];
  }
  if (path === '/saidas') {
    const refused = refusalOf(body.toString('utf8').split('\n').filter(Boolean));
    return refused === null ? [200, Buffer.from(declared(state, body.toString('utf8')))] : [refused, nothing];
  }
  const output = state.wanted.get(sha);
  if (output === undefined) return [404, nothing];
  if (from > output.bytes.length) return [409, nothing];
  if (from + body.length > output.bytes.length) output.bytes = Buffer.concat([output.bytes.subarray(0, from), body]);
  return [204, nothing];
}

function listOf({ inputs }: State): Buffer {
  const lines = inputs.map((one) => `${one.sha}\t${one.bytes.length}\t${one.path.split('/').map(encodeURIComponent).join('/')}\n`);
  return Buffer.from(lines.join(''));
}

/** As api/queue/executor.ts: one entry that it does not take, and the list is refused whole. */
function refusalOf(lines: readonly string[]): number | null {
  if (lines.length > limits.jobFilesMax) return 413;
  const isRight = (line: string): boolean => {
    const [sha = '', size = '', path = ''] = line.split('\t');
    try {
      return shaPattern.test(sha) && /^\d+$/.test(size) && isJobPath(decodeURIComponent(path).replace(/^saida\//, ''));
    } catch {
      return false;
    }
  };
  return lines.every(isRight) ? null : 400;
}

/** Lines of what is still wanted, with the offset reached. */
function declared(state: State, lines: string): string {
  state.announced = lines.split('\n').flatMap((line) => (line === '' ? [] : [decodeURIComponent(line.split('\t')[2] ?? '')]));
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [sha = '', size = '', path = ''] = line.split('\t');
      const known = state.wanted.get(sha) ?? { path: decodeURIComponent(path), size: Number(size), bytes: nothing };
      state.wanted.set(sha, known);
      const isWhole = known.bytes.length === known.size && sha256(known.bytes) === sha;
      if (known.bytes.length >= known.size && !isWhole) known.bytes = nothing;
      return isWhole ? '' : `${sha}\t${known.bytes.length}\n`;
    })
    .join('');
}
