/**
 * A real `svc up` for tests: its own state folder under a short path (unix sockets hold 107 bytes), a free port, the examples or any
 * other desired folder. `stop` ends the portal, the supervisors and every backend that lives below the state folder, and removes it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { portalEnv, portalFlags } from '../../bin/up/portal-process.ts';
import { compileCache } from '../../kit/testing/compile-cache.ts';
import { callControlSocket, type AdminAnswer } from './control-socket.ts';
import { exampleDesired } from './example-desired.ts';

export const repository = resolve(import.meta.dirname, '../..');

export interface RunningPortal {
  /** `http://svc.localhost:PORT/?passe=…`, works once. */
  readonly link: string;
  readonly port: number;
  readonly state: string;
  readonly pid: number;
  /** The portal itself, its stderr a pipe. */
  readonly child: ChildProcess;
  /** Everything that it printed so far. */
  output(): string;
  /** Calls the portal as admin over the 0600 control socket. */
  admin(method: string, path: string, body?: unknown): Promise<AdminAnswer>;
  /** SIGKILL to the portal alone; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts `svc up` again on the same state and port; `tree`: of another build from now on. */
  again(env?: Readonly<Record<string, string>>, tree?: string): Promise<void>;
  stop(): Promise<void>;
}

export interface PortalOptions {
  readonly desired?: string;
  /** Names of examples/apps and examples/faults, in place of `desired`; those of examples/desired when neither is given. */
  readonly apps?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Use this state folder (it is then kept at `stop`). */
  readonly state?: string;
  /** Further arguments of `svc up`. */
  readonly args?: readonly string[];
  /** On a machine of test/support/network.ts, alone at its port; a free port of this one when it is not said. */
  readonly place?: { readonly address: string; readonly port: number; readonly within: readonly string[] };
  /** Another tree of svc, which was set up: its build. */
  readonly tree?: string;
  /** How long it may take to listen; a minute when it is not said. */
  readonly listenMsMax?: number;
}

/**
 * A port on 127.0.0.1 where nobody listens. Below the range that the kernel takes the ports of outgoing connections from (32768 and
 * up): nothing but another call of this takes it before whoever asked listens there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const listening = new Promise<boolean>((resolve) => {
      server.once('listening', () => resolve(true));
      server.once('error', () => resolve(false));
    });
    server.listen(port, '127.0.0.1');
    if (!(await listening)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Between two checks of a state that may pass by within a moment; a check of a variable costs nothing. */
export const msOften = 25;

/**
 * Waits for a condition; the message names it when the deadline passes. The longer it waits, the less often it checks: a check may cost a
 * request or a walk over all processes. A state that is short-lived is looked for with `msBetweenMax` = `msOften`.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false | undefined> | T | null | false | undefined,
  msMax = 60_000,
  msBetweenMax = 200,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== null && found !== false && found !== undefined) return found;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > msMax) throw new Error(`${what}: did not happen within ${msMax} ms`);
    await sleep(Math.min(msBetweenMax, Math.max(msOften, waitedMs / 10)));
  }
}

export interface ProcessOnServer {
  readonly pid: number;
  readonly app: string | null;
  readonly argv: readonly string[];
}

/** Longer than any environment of ours; what does not fit is another's. */
const environ = Buffer.alloc(256 * 1024);

/** `/proc/PID/environ` with a NUL before and behind every entry. Throws like readFileSync, which makes a string and five calls of it. */
function readEnviron(pid: string): Buffer {
  const file = openSync(`/proc/${pid}/environ`, 'r');
  try {
    environ[0] = 0;
    let length = 1;
    for (;;) {
      const read = readSync(file, environ, length, environ.length - length - 1, null);
      length += read;
      // The kernel gives a page at a time.
      if (read < 4_096) break;
    }
    environ[length] = 0;
    return environ.subarray(0, length + 1);
  } finally {
    closeSync(file);
  }
}

/** Every live process whose HOME or prefix lies below the folder; `app` is its SVC_APP_ID. Zombies don't count. */
export function processesBelow(folder: string): readonly ProcessOnServer[] {
  return processesBelowEach([folder])[0] ?? [];
}

/** The same for several folders, at the cost of one. Skipped processes are not read. */
export function processesBelowEach(
  folders: readonly string[],
  isPassedOver: (pid: string) => boolean = () => false,
): readonly (readonly ProcessOnServer[])[] {
  const marks = folders.map((folder) => [`\0HOME=${folder}/`, `\0SVC_PREFIX=${folder}/`].map((mark) => Buffer.from(mark)));
  const found = folders.map((): ProcessOnServer[] => []);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || isPassedOver(name)) continue;
    try {
      const bytes = readEnviron(name);
      const at = marks.findIndex((either) => either.some((mark) => bytes.includes(mark)));
      if (at === -1) continue;
      const entries = bytes.toString('utf8').split('\0');
      const app = entries.find((entry) => entry.startsWith('SVC_APP_ID='))?.slice('SVC_APP_ID='.length) ?? null;
      const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').filter(Boolean);
      found[at]?.push({ pid: Number(name), app, argv });
    } catch {
      // It ended while we read it, or it is another account's.
    }
  }
  return found;
}

/** Ends supervisors and apps below the folder. */
export async function emptyServer(folder: string): Promise<void> {
  await until('an empty server', () => {
    const left = processesBelow(folder);
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone in between.
      }
    }
    return left.length === 0;
  });
}

/** As bin/svc starts it: the bundle, which runs the sources itself when one of them is another. Decision: docs/decisions/0171-one-bundle-of-the-commands.md */
function program(tree: string): string {
  const bundle = join(tree, 'build/bin/svc.mjs');
  return existsSync(bundle) ? bundle : join(tree, 'bin/svc-main.ts');
}

async function launch(
  options: PortalOptions,
  state: string,
  port: number,
  collect: (text: string) => void,
): Promise<{ child: ChildProcess; link: string }> {
  const desired = options.desired ?? join(repository, 'examples/desired');
  const tree = options.tree ?? repository;
  const listen = `${options.place?.address ?? '127.0.0.1'}:${port}`;
  const [command = '', ...args] = [
    ...(options.place?.within ?? []),
    join(repository, 'node_modules/.bin/node'),
    ...portalFlags,
    program(tree),
    'up',
    desired,
    '--state',
    state,
    '--listen',
    listen,
    ...(options.args ?? []),
  ];
  const child = spawn(command, args, {
    cwd: tree,
    env: { ...portalEnv, NODE_COMPILE_CACHE: compileCache, ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const take = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
    collect(chunk.toString('utf8'));
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const printed = (): string | undefined => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`svc up ended with ${child.exitCode ?? child.signalCode}:\n${text}`);
    return /open (http:\/\/\S+)/.exec(text)?.[1];
  };
  try {
    return { child, link: await until('the printed link', printed, options.listenMsMax) };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

export async function startPortal(given: PortalOptions = {}): Promise<RunningPortal> {
  const state = given.state ?? (await mkdtemp(join(tmpdir(), 'svct-')));
  const examples = given.apps === undefined ? null : await mkdtemp(join(tmpdir(), 'svce-'));
  const options = examples === null ? given : { ...given, desired: await exampleDesired(examples, given.apps ?? []) };
  const port = options.place?.port ?? (await freePort());
  let output = '';
  const collect = (text: string): void => {
    output += text;
  };
  let { tree } = options;
  let { child, link } = await launch(options, state, port, collect);
  return {
    get link() {
      return link;
    },
    get pid() {
      return child.pid ?? -1;
    },
    get child() {
      return child;
    },
    port,
    state,
    output: () => output,
    admin: (method, path, body) => callControlSocket(join(state, 'svc.sock'), method, path, body),
    async kill() {
      child.kill('SIGKILL');
      await ended(child);
    },
    async again(env, other) {
      tree = other ?? tree;
      const from = tree === undefined ? {} : { tree };
      ({ child, link } = await launch({ ...options, ...from, env: { ...options.env, ...env } }, state, port, collect));
    },
    async stop() {
      child.kill('SIGKILL');
      await ended(child);
      await emptyServer(state);
      // A job that was cancelled a moment ago may write its last line still.
      if (given.state === undefined) await rm(state, { recursive: true, force: true, maxRetries: 5 });
      if (examples !== null) await rm(examples, { recursive: true, force: true });
      const left = /.*on garbage collection.*/.exec(output);
      if (left !== null) throw new Error(`the portal left an open file to the collection of garbage: ${left[0]}`);
    },
  };
}
