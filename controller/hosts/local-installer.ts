/** Runs `svc-app-install` on this machine: argv in, its JSON lines out (spec 5: one command on each server does the work). */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import type { InstallLine, InstallResult, OnEvent } from '../../schema/install-events.ts';
import { limits } from '../../schema/limits.ts';
import type { ServerPlace } from '../../schema/server-paths.ts';

export interface InstallerRun {
  /** Folder with svc-app-install. */
  readonly binDir: string;
  readonly argv: readonly string[];
  readonly place: ServerPlace;
  readonly clock: Clock;
  readonly onEvent: OnEvent;
}

/** Rejects with the coded error that the command told; INTERNAL when it told nothing. */
export async function runInstaller({ binDir, argv, place, clock, onEvent }: InstallerRun): Promise<InstallResult> {
  const child = spawn(path.join(binDir, 'svc-app-install'), [...argv, '--json'], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: installerEnvironment(place),
  });
  let outcome: Exclude<InstallLine, { event: 'step' | 'download' | 'engine' }> | null = null;
  const onLine = (text: string): void => {
    const line = readLine(text);
    if (line === null) return;
    if (line.event === 'done' || line.event === 'error') outcome = line;
    else onEvent(line);
  };
  splitLines(child.stdout, onLine);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_096);
  });
  const deadline = clock.at(clock.monotonicMs() + limits.installMsMax, () => child.kill('SIGKILL'));
  const ended = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`${signal ?? `exit code ${code}`}: ${said.trim()}`));
  });
  deadline();
  return resultOf(outcome, ended);
}

function resultOf(outcome: Exclude<InstallLine, { event: 'step' | 'download' | 'engine' }> | null, ended: string): InstallResult {
  if (outcome === null) throw new SvcError('INTERNAL', `svc-app-install ended with ${ended}`);
  if (outcome.event === 'done') return outcome;
  const code: ErrorCode = Object.hasOwn(errorKinds, outcome.code) ? outcome.code : 'INTERNAL';
  throw new SvcError(code, outcome.message, outcome.details);
}

function splitLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

/** Our own command of the same version; whatever else stands on its stdout is not for us. */
function readLine(text: string): InstallLine | null {
  try {
    return JSON.parse(text) as InstallLine;
  } catch {
    return null;
  }
}

function installerEnvironment(place: ServerPlace): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_COMPILE_CACHE', 'SVC_KIT_SOURCE'];
  const environment = Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { ...environment, HOME: place.home, SVC_PREFIX: place.prefix };
}
