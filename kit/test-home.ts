/**
 * A throw-away home with real packages, a real supervisor and a real client, for the tests with real processes. Everything that
 * it starts is found again by its mark and killed at the end, also after a failure.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileCache } from './testing/compile-cache.ts';
import { kitSource } from './testing/kit-source.ts';
import type { SupervisorRequest, AppSnapshot, SupervisorPush, SupervisorReplies } from '../schema/supervisor-lines.ts';
import { accountPaths, appPaths, type ServerPlace } from '../schema/server-paths.ts';
import { environOf, livingPids, readPidFile, readStat, signal } from './processes.ts';

const root = dirname(import.meta.dirname);
const nodeOfShortPasses = join(root, 'kit/supervise/testing/node-of-short-passes');
export const realPasses = { SVC_NODE: '' };

/** Binds the socket, answers every connection with its pid, and notes each start. */
export const echoBackend = `
import os, socket, threading
with open(os.path.join(os.environ['SVC_APP_DATA_DIR'], 'starts'), 'a') as f: f.write(f"{os.getpid()}\\n")
s = socket.socket(socket.AF_UNIX); s.bind(os.environ['SVC_APP_SOCKET']); os.chmod(os.environ['SVC_APP_SOCKET'], 0o600); s.listen(64)
print('listening', os.getpid())
def serve(c):
    try:
        c.sendall(str(os.getpid()).encode())
        while c.recv(1000): pass
    except OSError: pass  # a reset by the peer is no business of run.log
    c.close()
while True:
    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
`;

export async function until<T>(what: string, check: () => T | null | undefined | false, msMax = 60_000): Promise<T> {
  const startedMs = performance.now();
  const endMs = startedMs + msMax;
  for (;;) {
    const found = check();
    if (found !== null && found !== undefined && found !== false && found !== '') return found;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${msMax} ms`);
    // Most checks walk through all processes: slow states are checked less often.
    await sleep(Math.min(50, 5 + (performance.now() - startedMs) / 20));
  }
}

export interface TestClient {
  readonly socket: Socket;
  readonly pushes: SupervisorPush[];
  call<Op extends keyof SupervisorReplies>(
    op: Op,
    fields?: Omit<Extract<SupervisorRequest, { op: Op }>, 'id' | 'op'>,
  ): Promise<{ ok: boolean; error?: { code: string; message: string } } & SupervisorReplies[Op]>;
  /** The newest snapshot of the app when it fits, or the first one from here on that does, also when another follows it at once. */
  state(app: string, fits: (snapshot: AppSnapshot) => boolean, msMax?: number): Promise<AppSnapshot>;
}

export interface TestHome {
  readonly home: string;
  paths(app: string): ReturnType<typeof appPaths>;
  install(app: string, manifest?: Record<string, unknown>, files?: Record<string, string>): void;
  writeEnv(app: string, token?: string): void;
  /** Its log goes to the file, or nowhere. It passes over its apps every two seconds; with `realPasses` as it is shipped. */
  supervisor(environment?: Record<string, string>, log?: string): Promise<{ child: ChildProcess; client: TestClient }>;
  launcher(app: string, environment?: Record<string, string>): Promise<{ code: number | null; signal: string | null; text: string }>;
  /** Living processes of the app that run its entrypoint. */
  backends(app: string): readonly number[];
  dispose(): Promise<void>;
}

/** Processes and sockets that a test started, so that it can end them. */
interface Started {
  readonly place: ServerPlace;
  readonly uid: number | undefined;
  readonly children: Set<ChildProcess>;
  readonly sockets: Set<Socket>;
}

/** With `uid` everything runs as that account, which need not have a name: only root may ask for it. `within` is a folder of the test's own. */
export function testHome({ uid, within = tmpdir() }: { readonly uid?: number; readonly within?: string } = {}): TestHome {
  // sun_path holds 107 bytes: a short home.
  const home = mkdtempSync(join(within, 'svc-'));
  if (uid !== undefined) chownSync(home, uid, uid);
  const place = { home, prefix: home };
  const started: Started = { place, uid, children: new Set(), sockets: new Set() };
  return {
    home,
    paths: (app) => appPaths(place, app),
    install: (app, manifest = {}, files = { 'main.py': echoBackend }) => install(place, app, manifest, files),
    writeEnv: (app, token = 'token-of-the-env-file') => {
      const { dir, env } = appPaths(place, app);
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      // As whoever writes it must: whole, then renamed into place. Half of one would be a wish without its token.
      writeFileSync(`${env}.new`, `SVC_APP_TOKEN=${token}\nSVC_APP_BASE_PATH=/\n`, { mode: 0o600 });
      renameSync(`${env}.new`, env);
    },
    supervisor: async (more = {}, log) => {
      const loud = process.env['SVC_TEST_LOUD'] === '1' ? 'inherit' : 'ignore';
      const output = log === undefined ? loud : openSync(log, 'a', 0o600);
      const child = run(started, 'svc-app-supervisor', [], { SVC_NODE: nodeOfShortPasses, ...more }, output);
      if (typeof output === 'number') closeSync(output);
      const socket = await connected(accountPaths(place).supervisorSocket);
      started.sockets.add(socket);
      return { child, client: clientOn(socket) };
    },
    launcher: (app, more = {}) => launcher(started, app, more),
    backends: (app) => {
      const socket = appPaths(place, app).socket;
      return livingPids().filter((pid) => {
        if (environOf(pid)?.get('SVC_APP_SOCKET') !== socket || isGone(pid)) return false;
        return commandOf(pid).some((word) => word.includes('/opt/svc-apps/'));
      });
    },
    dispose: async () => {
      for (const socket of started.sockets) socket.destroy();
      for (const child of started.children) child.kill('SIGKILL');
      await until('every process of the test is gone', () => {
        const left = livingPids().filter((pid) => pid !== process.pid && environOf(pid)?.get('HOME') === home && !isGone(pid));
        for (const pid of left) signal(pid, 'SIGKILL');
        return left.length === 0;
      });
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** For `test.extend`: each test has a home of its own, which is gone after it. */
export const homeFixture = {
  // oxlint-disable-next-line no-empty-pattern
  home: async ({}: object, use: (home: TestHome) => Promise<void>): Promise<void> => {
    const home = testHome();
    try {
      await use(home);
    } finally {
      await home.dispose();
    }
  },
};

const isGone = (pid: number): boolean => ['Z', 'X'].includes(readStat(pid)?.state ?? 'X');

function install(
  place: ServerPlace,
  app: string,
  manifest: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>>,
): void {
  const dir = join(accountPaths(place).systemApps, app);
  mkdirSync(dir, { recursive: true });
  const backend = { runtime: 'python3', entrypoint: 'main.py', ...(manifest['backend'] as object | undefined) };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(dir, name), text);
    if (text.startsWith('#!')) chmodSync(join(dir, name), 0o755);
  }
  writeFileSync(join(dir, 'svc-app.json'), JSON.stringify({ id: app, version: '1.0.0', ...manifest, backend }));
}

function run(
  started: Started,
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  output: 'pipe' | 'inherit' | 'ignore' | number,
): ChildProcess {
  const { home, prefix } = started.place;
  const child = spawn(join(root, 'bin', program), args, {
    env: {
      PATH: '/usr/bin:/bin',
      HOME: home,
      SVC_PREFIX: prefix,
      SVC_KIT_SOURCE: kitSource,
      NODE_COMPILE_CACHE: compileCache,
      ...more,
    },
    ...(started.uid === undefined ? {} : { uid: started.uid, gid: started.uid }),
    stdio: ['ignore', output === 'inherit' ? 'ignore' : output, output],
    detached: true,
  });
  started.children.add(child);
  return child;
}

async function launcher(started: Started, app: string, more: Readonly<Record<string, string>>) {
  const child = run(started, 'svc-app-run', [app], { ...more, SVC_APP_DETACHED: '1' }, 'pipe');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exited = once(child, 'close');
  const paths = appPaths(started.place, app);
  // Becoming the backend is no exit: run.pid with its pid and no marker show it.
  const became = until('the launcher ends or becomes the backend', () => {
    if (child.exitCode !== null || child.signalCode !== null) return true;
    return readPidFile(paths.runPid)?.pid === child.pid && !existsSync(paths.comingUp);
  });
  if (more['SVC_FAULT_POINT'] === undefined) await Promise.race([exited, became]);
  // Its exit is known before its last words are read.
  if (more['SVC_FAULT_POINT'] !== undefined || child.exitCode !== null || child.signalCode !== null) await exited;
  return { code: child.exitCode, signal: child.signalCode, text };
}

/** A client of a supervisor that serves this home already. */
export async function connectedClient(home: string): Promise<TestClient> {
  return clientOn(await connected(accountPaths({ home, prefix: home }).supervisorSocket));
}

function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** A dead supervisor's socket refuses until the new one stands in its place. */
async function connected(path: string): Promise<Socket> {
  const endMs = performance.now() + 60_000;
  for (;;) {
    const socket = connect(path);
    const opened = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (opened) return socket.on('error', () => undefined);
    if (performance.now() > endMs) throw new Error('the supervisor does not answer');
    await sleep(5);
  }
}

function clientOn(socket: Socket): TestClient {
  const pushes: SupervisorPush[] = [];
  const watchers = new Set<(snapshot: AppSnapshot) => void>();
  const newest = new Map<string, AppSnapshot>();
  const waiting = new Map<
    number,
    { readonly op: string; readonly resolve: (reply: never) => void; readonly reject: (error: Error) => void }
  >();
  let last = 0;
  let pending = '';
  const see = (snapshot: AppSnapshot): void => {
    newest.set(snapshot.app, snapshot);
    for (const watch of watchers) watch(snapshot);
  };
  socket.on('data', (chunk: Buffer) => {
    pending += chunk.toString();
    for (let end = pending.indexOf('\n'); end !== -1; end = pending.indexOf('\n')) {
      const message = JSON.parse(pending.slice(0, end)) as { id?: number; apps?: readonly AppSnapshot[] };
      pending = pending.slice(end + 1);
      if (message.id === undefined) {
        const push = message as SupervisorPush;
        pushes.push(push);
        if (push.event === 'app') see(push.snapshot);
        continue;
      }
      // The state at the subscription is in the reply; a push reports later changes only.
      for (const snapshot of message.apps ?? []) see(snapshot);
      waiting.get(message.id)?.resolve(message as never);
      waiting.delete(message.id);
    }
  });
  socket.once('close', () => {
    for (const { op, reject } of waiting.values()) reject(new Error(`the supervisor closed the connection during ${op}`));
  });
  return {
    socket,
    pushes,
    call: (op, fields) =>
      new Promise((resolve, reject) => {
        last += 1;
        if (socket.destroyed) reject(new Error(`the supervisor closed the connection before ${op}`));
        waiting.set(last, { op, resolve, reject });
        socket.write(`${JSON.stringify({ id: last, op, ...fields })}\n`);
      }),
    state: (app, fits, msMax = 60_000) =>
      new Promise((resolve, reject) => {
        // The stack of the call, which the timer's stack does not hold.
        const late = new Error();
        const check = (snapshot: AppSnapshot): void => {
          if (snapshot.app !== app || !fits(snapshot)) return;
          watchers.delete(check);
          clearTimeout(timer);
          resolve(snapshot);
        };
        const timer = setTimeout(() => {
          watchers.delete(check);
          const connection = socket.destroyed ? 'the connection ended' : 'the connection is open';
          late.message = `${app} in the expected state: not within ${msMax} ms; it is ${JSON.stringify(newest.get(app))}; ${connection}`;
          reject(late);
        }, msMax);
        watchers.add(check);
        const last = newest.get(app);
        if (last !== undefined) check(last);
      }),
  };
}

/** Names in a folder, without those that change all the time. */
export function filesIn(dir: string): readonly string[] {
  return readdirSync(dir)
    .filter((name) => !name.endsWith('.tmp'))
    .sort();
}
