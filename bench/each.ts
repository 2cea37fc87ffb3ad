/**
 * Areas, one after the other, each as a process of its own with a folder of its own for what is temporary: what one leaves behind, also when it is ended from
 * outside, is taken away behind it.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyServer } from '../test/support/portal.ts';
import { sweep } from '../test/support/sshd.ts';
import { sayStep, spanOf } from './steps.ts';

/** Longer than any takes on a machine that has nothing else to do. */
const areaMsMax = 30 * 60_000;

interface Ended {
  readonly name: string;
  readonly ms: number;
  readonly told: string;
  readonly isGood: boolean;
}

/**
 * Names the result of an area by its exit code: run.ts ends with 1 when it measured and missed a target, an error of it ends node with 1
 * before anything is printed.
 */
function toldOf(code: number | null, isPrinted: boolean): string {
  if (!isPrinted) return `FAILED (${code === null ? `ended after ${spanOf(areaMsMax)}, or by a signal` : `exit code ${code}`})`;
  return code === 0 ? 'held' : 'targets missed';
}

const mark = 'SVC_BENCH_PART';

/** Whether this process is the one of an area. */
export const isPart = (): boolean => process.env[mark] !== undefined;

/** Short, as the paths of sockets below it must be; open to the accounts of an area, as the folder above it is. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'b'));
  chmodSync(folder, 0o1777);
  return folder;
}

/** Browsers and daemons with a group of their own, as their command lines say. */
function endNamed(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${folder}/`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended while we read it.
    }
  }
}

/** Supervisors and apps are in no group of ours, and accounts in no folder. */
async function takeAway(folder: string): Promise<void> {
  endNamed(folder);
  await emptyServer(folder);
  if (process.getuid?.() === 0) await sweep();
  await rm(folder, { recursive: true, force: true });
}

async function runOne(name: string, options: readonly string[]): Promise<Ended> {
  const fromMs = performance.now();
  const argv = [join(import.meta.dirname, 'run.ts'), name, ...options];
  // A group of its own: what it started ends with it.
  const folder = temporaryFolder();
  const env = { ...process.env, [mark]: name, TMPDIR: folder };
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'], detached: true, env });
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  };
  let isQuit = false;
  const quit = (): void => {
    // Once more does not wait for what is taken away.
    if (isQuit) process.exit(130);
    isQuit = true;
    sayStep(`${name}: ended; what it started is taken away`);
    kill();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, quit);
  const late = setTimeout(kill, areaMsMax);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  const code = await new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  clearTimeout(late);
  kill();
  await takeAway(folder);
  if (isQuit) process.exit(130);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, quit);
  const isPrinted = text.startsWith(`## ${name}\n`);
  return { name, ms: performance.now() - fromMs, told: toldOf(code, isPrinted), isGood: code === 0 && isPrinted };
}

/** Answers with the exit code: 1 when a target was missed or an area failed. */
export async function runEach(names: readonly string[], options: readonly string[]): Promise<0 | 1> {
  const all: Ended[] = [];
  for (const [at, name] of names.entries()) {
    sayStep(`${name}, ${at + 1} of ${names.length}`);
    all.push(await runOne(name, options));
  }
  const total = all.reduce((sum, { ms }) => sum + ms, 0);
  for (const { name, ms, told } of all) console.error(`bench: ${name.padEnd(12)} ${spanOf(ms).padStart(12)}  ${told}`);
  console.error(`bench: ${'all'.padEnd(12)} ${spanOf(total).padStart(12)}`);
  return all.every(({ isGood }) => isGood) ? 0 : 1;
}
