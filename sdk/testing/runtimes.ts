/** Starts backends as their launcher would: own process, unix socket, token; and speaks raw bytes to them. Used by the sdk's tests. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sdk = fileURLToPath(new URL('../', import.meta.url));
const bench = fileURLToPath(new URL('app/backend/', import.meta.url));
/** Made by setup/wrap.ts. */
const processor = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
export const wrapper = fileURLToPath(new URL(`../../build/kit/wrap/${processor}/svc-wrap`, import.meta.url));

export const runtimes = ['python', 'node'] as const;
export type Runtime = (typeof runtimes)[number];
/** All that has the gate of rules 5: svc-wrap stands in front of a program without one. */
export const gated = [...runtimes, 'wrap'] as const;
type Gated = (typeof gated)[number];

/** Environment of a backend: the runtimes on their paths and nothing of this process but PATH. */
export function backendEnv(home: string, extra: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    LANG: 'C.UTF-8',
    PYTHONPATH: join(sdk, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    NODE_PATH: join(sdk, 'node'),
    ...extra,
  };
}

/** argv of a backend; the interpreters are those of this machine, as on a server. SVC_BACKEND_NODE names another Node. */
export function commandOf(runtime: 'python3' | 'node' | Runtime, entrypoint: string): readonly [string, ...string[]] {
  return runtime === 'node' ? [process.env['SVC_BACKEND_NODE'] ?? process.execPath, entrypoint] : ['python3', entrypoint];
}

/** argv of the bench app with the frontend at `root`. Behind svc-wrap it is a program that has no token, and serves on the socket it is given. */
function benchCommand(runtime: Gated, root: string, argv: readonly string[] = []): readonly [string, ...string[]] {
  if (runtime === 'wrap') {
    const program = commandOf('node', join(bench, 'main.cjs'));
    return [wrapper, '--env', 'SVC_APP_SOCKET={socket}', ...argv, '--', ...program, root];
  }
  return [...commandOf(runtime, join(bench, runtime === 'node' ? 'main.cjs' : 'main.py')), root, ...argv];
}

/** Where a backend is started: svc-wrap finds svc-app.json there, the runtimes by their main script. */
const folderOf = (runtime: Gated): string | undefined => (runtime === 'wrap' ? join(bench, '..') : undefined);

/** The bench app, as started by its launcher. */
export const startCommand = (runtime: Gated, root: string, env: NodeJS.ProcessEnv, argv: readonly string[] = []): Backend =>
  start(benchCommand(runtime, root, argv), env, folderOf(runtime));

/** The output of a backend that answers: svc-wrap listens before its program does. */
export const readySentence = (runtime: Gated): string => (runtime === 'wrap' ? 'o programa atende' : 'escutando em');

export interface Backend {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Resolves when stdout or stderr holds the text; rejects when the process ends before. */
  readonly said: (text: string) => Promise<void>;
  /** Exit code, or the name of the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

const alive = new Set<ChildProcess>();
const folders = new Set<string>();

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-'));
  folders.add(folder);
  return folder;
}

/** Ends what a test left: to be called after each test file. */
export async function cleanUp(): Promise<void> {
  await Promise.all(
    [...alive].map(async (child) => {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
      child.kill('SIGKILL');
      await gone;
    }),
  );
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

export function start(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv, cwd?: string): Backend {
  const [program, ...args] = command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], ...(cwd === undefined ? {} : { cwd }) });
  alive.add(child);
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output = (output + text).slice(-100_000);
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      alive.delete(child);
      resolve(code ?? signal);
      for (const listener of listeners) listener();
    });
  });
  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.includes(text)) resolve();
        else if (child.exitCode !== null || child.signalCode !== null) reject(new Error(`ended without saying ${text}:\n${output}`));
        else return;
        listeners.delete(look);
      };
      listeners.add(look);
      look();
    });
  return { process: child, output: () => output, said, ended };
}

/** A small frontend; its head is not a bare `<head>`. */
export function frontend(): string {
  const root = temporaryFolder();
  writeFileSync(join(root, 'index.html'), '<!doctype html>\n<html><head lang=pt><title>ção</title></head><body>oi</body></html>\n');
  writeFileSync(join(root, 'extra.js'), 'window.extra = 1\n');
  return root;
}

export interface Bench extends Backend {
  readonly home: string;
  readonly socket: string;
  readonly data: string;
}

/** The bench app over a unix socket, listening on return. */
export async function startBench(runtime: Gated, root: string, extra: Record<string, string | undefined> = {}): Promise<Bench> {
  const home = temporaryFolder();
  const socket = join(home, '.svc-apps/bancada/app.sock');
  const data = join(home, '.svc-apps/bancada/data');
  const env = backendEnv(home, { SVC_APP_ID: 'bancada', SVC_APP_SOCKET: socket, SVC_APP_DATA_DIR: data, ...extra });
  const backend = startCommand(runtime, root, env);
  await backend.said(readySentence(runtime));
  return { ...backend, home, socket, data };
}

export interface Answer {
  readonly status: number;
  readonly reason: string;
  /** Names in lower case; twins joined by ', '. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends bytes on one connection and gives everything that came back until the other side ended or reset, as latin1. `half` ends our
 * half at once, for requests that may leave the other side waiting.
 */
export function exchange(target: string | { readonly port: number }, bytes: string | Buffer, half = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = typeof target === 'string' ? connect(target) : connect(target.port, '127.0.0.1');
    const parts: Buffer[] = [];
    const done = (): void => resolve(Buffer.concat(parts).toString('latin1'));
    socket.setTimeout(60_000, () => {
      socket.destroy();
      reject(
        new Error(`no end within 60 s after ${JSON.stringify(String(bytes).slice(0, 200))}: ${Buffer.concat(parts).toString('latin1')}`),
      );
    });
    socket.on('data', (part) => parts.push(part));
    socket.on('error', (problem: NodeJS.ErrnoException) => {
      if (problem.code === 'ECONNRESET' || problem.code === 'EPIPE') done();
      else reject(problem);
    });
    socket.on('close', done);
    const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    if (half) socket.end(sent);
    else socket.write(sent);
  });
}

/** Splits what came back into answers. `methods` says which answers have no body (HEAD). */
export function answers(raw: string, methods: readonly string[] = []): Answer[] {
  const found: Answer[] = [];
  let rest = raw;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`not an HTTP answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n');
    const start = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(line);
    if (!start) throw new Error(`not an HTTP status line: ${JSON.stringify(line)}`);
    const headers: Record<string, string> = {};
    for (const header of lines) {
      const colon = header.indexOf(':');
      const name = header.slice(0, colon).toLowerCase();
      const value = header.slice(colon + 1).trim();
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    const status = Number(start[1]);
    rest = rest.slice(end + 4);
    const bodiless = status < 200 || status === 204 || status === 304 || methods[found.filter((a) => a.status >= 200).length] === 'HEAD';
    const length = bodiless ? 0 : Number(headers['content-length'] ?? rest.length);
    found.push({ status, reason: start[2] ?? '', headers, body: rest.slice(0, length) });
    rest = rest.slice(length);
  }
  return found;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
}

/** Sends a request on a connection of its own. */
export async function ask(
  target: string | { readonly port: number },
  { method = 'GET', path = '/', headers = [], body = '' }: Ask,
): Promise<Answer> {
  const length = body === '' ? [] : [['Content-Length', String(Buffer.byteLength(body, 'latin1'))] as const];
  const lines = [['Host', 'app'] as const, ...headers, ...length, ['Connection', 'close'] as const].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const raw = await exchange(target, `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const answer = answers(raw, [method]).find(({ status }) => status >= 200);
  if (!answer) throw new Error(`no answer to ${method} ${path}: ${JSON.stringify(raw)}`);
  return { ...answer, body: Buffer.from(answer.body, 'latin1').toString('utf8') };
}
