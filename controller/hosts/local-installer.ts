/** Runs `svc-app-install` on this machine: argv in, its JSON lines out (rules 5: one command on each server does the work). */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { CredentialState, InstallOutcome, InstallResult, OnEvent } from '../../schema/install-events.ts';
import { limits } from './limits.ts';
import type { ServerPlace } from '../../schema/server-paths.ts';
import type { PackageSource } from '../../kit/repository/reading/source.ts';
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
  /** argv of a command that first changes its account; setsid, so that the account can't type into the portal's terminal. */
  readonly become?: readonly string[];
  /** Bytes for its standard input; nothing otherwise. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

/** The words of `svc-app-install` for a source. */
export function wordsOf(source: PackageSource | null): readonly string[] {
  if (source === null) return [];
  if (source.kind === 'folder') return [path.resolve(source.path)];
  if (source.kind === 'tarball') return [path.resolve(source.path), '--sha256', source.sha256, ...signedWords(source)];
  return [`${source.app}@${source.version}`, '--repository', source.repository, '--sha256', source.sha256, ...signedWords(source)];
}

/** Both are public. The signature has several lines. */
export function signedWords(source: PackageSource): readonly string[] {
  if (source.kind === 'folder' || source.signed === undefined) return [];
  return ['--chave', source.signed.key, '--assinatura', Buffer.from(source.signed.signature).toString('base64')];
}

/** Rejects with the coded error that the command printed; INTERNAL when it printed none. */
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

/** `svc-app-install --credential`: what a server-scope app has of the portal. */
export async function askCredential(run: InstallerRun): Promise<CredentialState> {
  const outcome = await talk(run);
  if (outcome.event === 'credential') return outcome;
  throw new SvcError('INTERNAL', 'svc-app-install answered something else');
}

async function talk(run: InstallerRun): Promise<Exclude<InstallOutcome, { event: 'error' }>> {
  const { clock, onEvent, signal } = run;
  if (signal?.aborted ?? false) throw new SvcError('CANCELLED', 'the installation was cancelled before it began');
  const child = start(run);
  const lines = createInstallerLines(onEvent ?? (() => undefined));
  splitLines(child, (line) => lines.take(line));
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
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

function start({ binDir, argv, place, become = [], stdin }: InstallerRun): ChildProcess {
  const [program = '', ...words] = [...become, path.join(binDir, 'svc-app-install'), '--json', ...argv];
  const child = spawn(program, words, {
    cwd: '/',
    detached: become.length > 0,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: installerEnvironment(place, become.length === 0),
  });
  // It may end before it read everything: how it ended says why.
  if (stdin !== undefined && child.stdin !== null) void pipeline(stdin, child.stdin).catch(() => undefined);
  return child;
}

function splitLines(child: ChildProcess, onLine: (line: string) => void): void {
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    // It may be another account's, which can make it say anything.
    if (rest.length > limits.installerLineBytesMax) child.kill('SIGKILL');
    for (const line of lines) onLine(line);
  });
}

/** `isOurs`: folders of the portal's account are of use. */
function installerEnvironment(place: ServerPlace, isOurs: boolean): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SVC_KIT_SOURCE', ...(isOurs ? ['TMPDIR', 'NODE_COMPILE_CACHE'] : [])];
  const environment = Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { ...environment, HOME: place.home, SVC_PREFIX: place.prefix };
}
