/**
 * The portal's side of a door: a process that acts as a person's account in their home (account-door-main.ts), for a portal that runs as
 * root. The account can kill, stop or slow it like any of its processes. It is started again on demand, and each request has a deadline.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import net from 'node:net';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { ServerPlace } from '../../schema/server-paths.ts';
import type { InstalledPackage } from './host.ts';
import type { Account } from '../../schema/account-lookup.ts';

/** The one argument of account-door-main.ts, as JSON. */
export interface DoorOrder {
  readonly account: Account;
  readonly place: ServerPlace;
  readonly binDir: string;
}

export type DoorAsk =
  | { readonly ask: 'dial'; readonly socketPath: string }
  | { readonly ask: 'supervise' }
  | { readonly ask: 'list' }
  | { readonly ask: 'file'; readonly app: string; readonly file: string };

/** A line of the account's process; the answer to `dial` carries the connected socket itself. */
export type DoorLine =
  | { readonly id: number; readonly done: unknown }
  | { readonly id: number; readonly code: string; readonly message: string }
  | { readonly bad: string; readonly message: string };

export interface DoorOptions extends DoorOrder {
  readonly clock: Clock;
  readonly onBadPackage: (folder: string, error: unknown) => void;
}

export interface Door {
  dial(socketPath: string): Promise<net.Socket>;
  startSupervisor(): Promise<void>;
  list(): Promise<readonly InstalledPackage[]>;
  file(app: string, file: string): Promise<Uint8Array | null>;
  /** Resolves when its process is gone. Processes that it started go on. */
  close(): Promise<void>;
}

interface Answer {
  readonly done: unknown;
  readonly socket: net.Socket | null;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: SvcError) => void;
}

const program = path.join(import.meta.dirname, 'account-door-main.ts');

export function createDoor(options: DoorOptions): Door {
  const { ask, close } = createLine(options);
  return {
    dial: async (socketPath) => {
      const { socket } = await ask({ ask: 'dial', socketPath }, limits.dialMsMax + limits.doorListWaitMs);
      if (socket === null) throw gone(options.account, 'the connection did not come through');
      return socket;
    },
    startSupervisor: async () => {
      await ask({ ask: 'supervise' }, limits.supervisorStartMsMax + limits.doorListWaitMs);
    },
    list: async () => (await ask({ ask: 'list' }, sharedLimits.accountObserveMsMax)).done as readonly InstalledPackage[],
    file: async (app, file) => {
      const { done } = await ask({ ask: 'file', app, file }, sharedLimits.accountObserveMsMax);
      return typeof done === 'string' ? Buffer.from(done, 'base64') : null;
    },
    close,
  };
}

/** Questions and answers, and the process that is there while there are some. */
function createLine(options: DoorOptions) {
  const { account, clock } = options;
  const waiting = new Map<number, Waiting>();
  let door: { readonly process: ChildProcess; readonly ended: Promise<void> } | null = null;
  let startedAtMs = -Infinity;
  let ids = 0;
  let endIdle = (): void => undefined;

  const take = (line: DoorLine, socket: net.Socket | null): void => {
    if ('bad' in line) return options.onBadPackage(line.bad, new Error(line.message));
    const asked = waiting.get(line.id);
    waiting.delete(line.id);
    // The caller gave up.
    if (asked === undefined) socket?.destroy();
    else if ('code' in line) asked.reject(new SvcError(codeOf(line.code), line.message));
    else asked.resolve({ done: line.done, socket });
  };
  const open = (): ChildProcess => {
    if (door !== null) return door.process;
    if (clock.monotonicMs() - startedAtMs < limits.doorRestartMsMin) throw gone(account, 'it ended a moment ago');
    startedAtMs = clock.monotonicMs();
    const process = start(options);
    process.on('message', (line, socket) => take(line as DoorLine, socket instanceof net.Socket ? socket : null));
    const leave = async (): Promise<void> => {
      const why = await endOf(process);
      door = null;
      for (const { reject } of waiting.values()) reject(gone(account, why));
      waiting.clear();
    };
    door = { process, ended: leave() };
    return process;
  };
  const ask = async (what: DoorAsk, msMax: number): Promise<Answer> => {
    const to = open();
    ids += 1;
    const id = ids;
    endIdle();
    endIdle = clock.at(clock.monotonicMs() + limits.doorIdleMs, () => to.kill('SIGKILL'));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.set(id, { resolve, reject });
    // A process that does not answer, held by a signal or by a disk, is of no more use.
    const late = clock.at(clock.monotonicMs() + msMax, () => to.kill('SIGKILL'));
    to.send({ id, ...what }, (error) => {
      if (error) reject(gone(account, error.message));
    });
    return await promise.finally(() => {
      late();
      waiting.delete(id);
    });
  };
  const close = async (): Promise<void> => {
    endIdle();
    door?.process.kill('SIGKILL');
    await door?.ended;
  };
  return { ask, close };
}

/** Resolves when it is gone, with why. */
function endOf(process: ChildProcess): Promise<string> {
  let said = '';
  process.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-1_000);
  });
  return new Promise((resolve) => {
    process.on('error', (error) => {
      if (process.pid === undefined) resolve(error.message);
    });
    process.once('exit', (code, signal) => resolve([signal ?? `exit code ${code}`, said.trim()].filter(Boolean).join(': ')));
  });
}

/**
 * It starts as root and becomes the account without another exec: the kernel then keeps it non-dumpable, so other processes of the account
 * can't trace it, open its files or speak to the portal through it. --disable-sigusr1 closes the debugger of Node. setsid: the account
 * can't type into the portal's terminal.
 */
function start({ account, place, binDir }: DoorOptions): ChildProcess {
  const order: DoorOrder = { account, place, binDir };
  const flags = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1', '--max-semi-space-size=1', '--v8-pool-size=1'];
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SVC_KIT_SOURCE'];
  return spawn(process.execPath, [...flags, program, JSON.stringify(order)], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
  });
}

function gone({ name }: Account, why: string): SvcError {
  return new SvcError('SERVER_UNREACHABLE', `the portal's process that acts as ${name} does not answer (${why})`);
}

function codeOf(code: string): ErrorCode {
  return Object.hasOwn(errorKinds, code) ? (code as ErrorCode) : 'INTERNAL';
}
