/**
 * A real `svc up` for tests: its own state folder, its own port, and an end that leaves no process behind. The folder is short, because
 * the sockets of the apps stand below it (107 bytes at most).
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../..');
const startMsMax = 30_000;
const endMsMax = 10_000;

export interface TestPortal {
  readonly port: number;
  /** The printed sign-in link; it works once. */
  readonly link: string;
  readonly stateDir: string;
  /** What `svc up` wrote to stderr: its JSON log. */
  log(): string;
  /** Sends SIGKILL to `svc up` only: apps and supervisors live on. */
  kill(): Promise<void>;
  /** Starts `svc up` again on the same state and port. */
  restart(): Promise<void>;
  /** Ends `svc up`, the supervisors and the backends, and removes the folder. */
  stop(): Promise<void>;
}

export interface TestPortalOptions {
  /** The folder of YAML; the examples without one. */
  readonly desired?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startPortal({ desired = 'examples/desired', env = {} }: TestPortalOptions = {}): Promise<TestPortal> {
  await promisify(execFile)(process.execPath, ['setup/build.ts'], { cwd: root });
  const stateDir = await mkdtemp(path.join(tmpdir(), 'svc-'));
  const port = await freePort();
  let log = '';
  let up: Up | null = null;
  const begin = async (): Promise<string> => {
    up = runUp([desired, '--listen', `127.0.0.1:${port}`, '--state', stateDir], env, (text) => (log += text));
    return await up.link;
  };
  const stop = async (): Promise<void> => {
    await up?.end('SIGTERM');
    await endBelow(stateDir);
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const link = await begin();
    return {
      port,
      link,
      stateDir,
      log: () => log,
      kill: async () => await up?.end('SIGKILL'),
      restart: async () => void (await begin()),
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${log.slice(-4_000)}`, { cause: error });
  }
}

interface Up {
  readonly link: Promise<string>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

function runUp(args: readonly string[], env: Readonly<Record<string, string>>, onLog: (text: string) => void): Up {
  const child: ChildProcess = spawn(path.join(root, 'bin/svc'), ['up', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stderr?.setEncoding('utf8').on('data', onLog);
  const link = new Promise<string>((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => reject(new Error(`svc up printed no link within ${startMsMax} ms`)), startMsMax);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /^open (\S+)$/m.exec(said)?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(late);
      reject(new Error(`svc up ended with ${signal ?? code}\n${said}`));
    });
    child.once('error', reject);
  });
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), endMsMax);
    await exited;
    clearTimeout(late);
  };
  return { link, end };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Processes that carry the folder in their environment or arguments: ours, because its name is unique. */
export async function processesBelow(dir: string): Promise<readonly number[]> {
  const found = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const texts = await Promise.all(['environ', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')));
        return texts.some((text) => text.includes(dir)) ? Number(pid) : null;
      }),
  );
  return found.filter((pid): pid is number => pid !== null && pid !== process.pid);
}

async function endBelow(dir: string): Promise<void> {
  const deadline = performance.now() + endMsMax;
  for (;;) {
    const left = await processesBelow(dir);
    if (left.length === 0) return;
    if (performance.now() > deadline) throw new Error(`still running below ${dir}: ${left.join(', ')}`);
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // ended in between
      }
    }
    await wait(50);
  }
}
