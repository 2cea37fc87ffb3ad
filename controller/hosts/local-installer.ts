/** Runs `svc-app-install` on this machine: argv in, its JSON lines out (spec 5: one command on each server does the work). */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { InstallOutcome, InstallResult, OnEvent } from '../../schema/install-events.ts';
import { limits } from '../../schema/limits.ts';
import type { ServerPlace } from '../../schema/server-paths.ts';
import type { Inventory } from './host.ts';
import { createInstallerLines } from './installer-lines.ts';

export interface InstallerRun {
  /** Folder with svc-app-install. */
  readonly binDir: string;
  readonly argv: readonly string[];
  readonly place: ServerPlace;
  readonly clock: Clock;
  readonly onEvent?: OnEvent;
  readonly signal?: AbortSignal;
}

/** Rejects with the coded error that the command told; INTERNAL when it told nothing. */
export async function runInstaller(run: InstallerRun): Promise<InstallResult> {
  const outcome = await talk(run);
  if (outcome.event === 'done') return outcome;
  throw new SvcError('INTERNAL', 'svc-app-install answered something else');
}

/** `svc-app-install --look`: engines, GPU, and which of the requirements are not met. */
export async function askInventory(run: InstallerRun): Promise<Inventory> {
  const outcome = await talk({ ...run, argv: ['--look', '--', ...run.argv] });
  if (outcome.event === 'look') return { missing: outcome.missing, engines: outcome.engines, gpu: outcome.gpu };
  throw new SvcError('INTERNAL', 'svc-app-install answered something else');
}

async function talk({ binDir, argv, place, clock, onEvent, signal }: InstallerRun): Promise<Exclude<InstallOutcome, { event: 'error' }>> {
  if (signal?.aborted ?? false) throw new SvcError('CANCELLED', 'the installation was cancelled before it began');
  const child = spawn(path.join(binDir, 'svc-app-install'), ['--json', ...argv], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: installerEnvironment(place),
  });
  const lines = createInstallerLines(onEvent ?? (() => undefined));
  splitLines(child.stdout, (line) => lines.take(line));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_096);
  });
  const abort = (): void => void child.kill('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  const deadline = clock.at(clock.monotonicMs() + limits.installMsMax, () => child.kill('SIGKILL'));
  const ended = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve([signal ?? `exit code ${code}`, said.trim()].filter(Boolean).join(': ')));
  });
  deadline();
  signal?.removeEventListener('abort', abort);
  return lines.outcome(ended, signal?.aborted ?? false);
}

function splitLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

function installerEnvironment(place: ServerPlace): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_COMPILE_CACHE', 'SVC_KIT_SOURCE'];
  const environment = Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { ...environment, HOME: place.home, SVC_PREFIX: place.prefix };
}
