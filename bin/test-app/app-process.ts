/** The app under test as processes: the environment that the launcher gives (kit/launch), without a portal, in a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { isReservedName } from '../../schema/manifest/reserved-names.ts';
import { appPaths } from '../../schema/server-paths.ts';
import { backendEnvironment } from '../../kit/launch/environment.ts';
import { gpuMode } from '../../kit/launch/gpu.ts';
import { runtimeCommand } from '../../kit/launch/launch.ts';
import { kitRoot } from '../../kit/place.ts';
import { environOf, familyOf, identityOf, livingPids, signal } from '../../kit/processes.ts';
import { listeningPorts } from '../../kit/supervise/tcp-ports.ts';
import { ask, takesConnections, tokenHeader, type Answer, type Asked, type Target } from './ask.ts';
import { limits } from './limits.ts';
import { openSockets } from './open-sockets.ts';

export const token = 'svc-test-app-token';

/** A package, unpacked as an installation would have it. */
export interface Package {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly hash: string;
  /** Paths of its files. */
  readonly names: readonly string[];
}

type Caller = Readonly<Record<string, string | undefined>>;

export interface Running {
  readonly child: ChildProcess;
  /** Folder of the package. */
  readonly dir: string;
  readonly target: Target;
  readonly socket: string;
  /** With the token, unless the process has none. */
  readonly call: (asked: Asked) => Promise<Answer>;
  /** Output that it printed last. */
  readonly output: () => string;
  /** Exit code, or the name of the signal. Never rejects. */
  readonly ended: Promise<number | string>;
  readonly hasEnded: () => boolean;
}

/** Environment as the launcher would give it, with the secrets and engines of the manifest that the caller has. */
export function environmentOf({ manifest, hash }: Package, home: string, base: string, caller: Caller): Record<string, string> {
  const given = (names: readonly string[]): ReadonlyMap<string, string> =>
    new Map(names.flatMap((name) => (caller[name] === undefined ? [] : [[name, caller[name]] as const])));
  const place = { home, prefix: home };
  const environment = backendEnvironment({
    place,
    app: manifest.id,
    ...kitOf(caller),
    caller,
    wish: new Map([
      ['SVC_APP_TOKEN', token],
      ['SVC_APP_BASE_PATH', base],
    ]),
    engines: given((manifest.motores ?? []).map(({ nome }) => engineVariable(nome))),
    hash,
    gpuDeclared: gpuMode(manifest) !== null,
  });
  const secrets = (manifest.secrets ?? []).map(({ name }) => name).filter((name) => name !== 'SVC_APP_TOKEN' && !isReservedName(name));
  return { ...environment, ...Object.fromEntries(given(secrets)) };
}

const kitOf = (caller: Caller): { readonly kitRoot: string; readonly nodeExecutable: string } => ({
  kitRoot: kitRoot(caller, import.meta.dirname),
  nodeExecutable: process.execPath,
});

export const engineVariable = (nome: string): string => `SVC_MOTOR_${nome.toUpperCase().replaceAll('-', '_')}`;

/** Everything that is started for one folder, so that nothing is left of it. */
export class Processes {
  private readonly started: Running[] = [];
  private readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Throws LaunchRefused where the launcher would. */
  begin(tested: Package, home: string, environment: Record<string, string>, args: readonly string[] = []): Running {
    const place = { home, prefix: home };
    const [program, ...rest] = runtimeCommand(place, kitOf(this.caller), tested.dir, tested.manifest);
    const { socket, data } = appPaths(place, tested.manifest.id);
    mkdirSync(data, { recursive: true, mode: 0o700 });
    mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
    // A session of its own, as the launcher makes one.
    const child = spawn(program, [...rest, ...args], {
      cwd: tested.dir,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-limits.outputCharsKept)));
      stream.on('error', () => undefined);
    }
    let over = false;
    const ended = endOf(child)
      .catch((error: unknown) => (error as Error).message)
      .finally(() => (over = true));
    const target: Target = { socketPath: socket };
    const hasToken = environment['SVC_APP_TOKEN'] !== undefined;
    const running: Running = {
      child,
      dir: tested.dir,
      target,
      socket,
      call: (asked) => ask(target, hasToken ? { ...asked, headers: { [tokenHeader]: token, ...asked.headers } } : asked),
      output: () => output,
      ended,
      hasEnded: () => over,
    };
    this.started.push(running);
    return running;
  }

  /** `workshop`: the folder of all homes of this test. */
  async endAll(workshop: string): Promise<void> {
    for (const { child, hasEnded } of this.started) if (child.pid !== undefined && !hasEnded()) signal(-child.pid, 'SIGKILL');
    await Promise.all(this.started.map(({ ended }) => ended));
    endLeftovers(workshop);
    // A process that could not be ended holds them open, and would hold this process.
    for (const { child } of this.started) for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  }
}

/** Ends processes that left the app's group, found by the homes of this test in their environment. They may start more meanwhile. */
function endLeftovers(workshop: string): void {
  const isOurs = (pid: number): boolean =>
    pid !== process.pid && [...(environOf(pid)?.values() ?? [])].some((value) => value.startsWith(`${workshop}/`));
  for (let round = 0; round < limits.leftoverRoundsMax; round += 1) {
    const left = livingPids().filter((pid) => isOurs(pid) && identityOf(pid) !== null);
    if (left.length === 0) return;
    for (const pid of left) signal(pid, 'SIGKILL');
  }
}

/**
 * Its exit code, or the signal that ended it, once all that it printed was read; what it left running may hold its output open, and is not waited
 * for. Rejects when it could not be started.
 */
async function endOf(child: ChildProcess): Promise<number | string> {
  const { promise, resolve, reject } = Promise.withResolvers<number | string>();
  child.once('error', reject);
  child.once('exit', (code, name) => {
    const read = Promise.race([once(child, 'close'), sleep(limits.lastWordsMs, null, { ref: false })]);
    void read.then(() => resolve(code ?? name ?? ''));
  });
  return await promise;
}

/** Asks again and again until it is so, the time is over, or the process ends. */
async function until(running: Running, msMax: number, isSo: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + msMax; performance.now() < deadline; await sleep(limits.lookAgainMs)) {
    if (await isSo()) return true;
    if (running.hasEnded()) return false;
  }
  return false;
}

/** Also false, and sooner, when it listens on a port and its socket does not come. */
export async function untilListening(running: Running): Promise<boolean> {
  const isThere = (): Promise<boolean> => takesConnections(running.target);
  if (await until(running, limits.portAloneMs, isThere)) return true;
  return portsOf(running).length === 0 && (await until(running, limits.startMsMax - limits.portAloneMs, isThere));
}

/** Asks there as the launcher does before it sends anybody; the last status, 0 for no answer. */
export async function untilAnswer(running: Running, path: string, isEnough: (status: number) => boolean): Promise<number> {
  let status = 0;
  await until(running, limits.startMsMax, async () => {
    ({ status } = await running.call({ path }));
    return isEnough(status);
  });
  return status;
}

/** A refusal is not waited for: the checks tell it. */
export const untilReady = (running: Running, path: string): Promise<number> =>
  untilAnswer(running, path, (status) => status > 0 && status < 500);

/** It took a signal: it has ended, or takes no new connections, or had the time to. */
export const untilDeaf = (running: Running): Promise<boolean> =>
  until(running, limits.underWayMs, async () => !(await takesConnections(running.target)));

/** Ports that it and what it started listen on. */
export const portsOf = ({ child }: Running): readonly number[] => (child.pid === undefined ? [] : listeningPorts(familyOf(child.pid)));

/** Unix sockets of theirs, beside the app's own, that any account can use. */
export const openSocketsOf = ({ child, socket }: Running): readonly string[] =>
  child.pid === undefined ? [] : openSockets(familyOf(child.pid)).filter((each) => each !== socket);

/** The entrypoint became svc-wrap. */
export const isWrapped = ({ child }: Running): boolean => child.pid !== undefined && commandName(child.pid) === 'svc-wrap';

function commandName(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** The bench: the process as one that is reached by its port; null when it listens on none. */
export async function untilOnPort(running: Running): Promise<Running | null> {
  if (!(await until(running, limits.startMsMax, async () => portsOf(running).length > 0))) return null;
  const [port = 0] = portsOf(running);
  const target: Target = { port };
  return { ...running, target, call: (asked) => ask(target, asked) };
}

/** Null: it goes on after the deadline. */
export async function endWithin({ ended }: Running, msMax: number): Promise<number | string | null> {
  const late = new AbortController();
  try {
    return await Promise.race([ended, sleep(msMax, null, { signal: late.signal, ref: true })]);
  } finally {
    late.abort();
  }
}

export async function kill({ child, ended }: Running): Promise<void> {
  if (child.pid !== undefined) signal(-child.pid, 'SIGKILL');
  await ended;
}

/** A command of the manifest; its exit code and the end of what it printed. */
export async function runCommand(
  command: string,
  cwd: string,
  environment: Record<string, string>,
  msMax: number,
): Promise<{ readonly code: number | string; readonly output: string }> {
  const child = spawn('/bin/sh', ['-c', command], { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-limits.outputCharsKept)));
  const timer = setTimeout(() => child.pid !== undefined && signal(-child.pid, 'SIGKILL'), msMax);
  try {
    const code = await endOf(child);
    return { code, output };
  } finally {
    clearTimeout(timer);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  }
}
