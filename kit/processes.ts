/**
 * The process table, read from /proc. A process is identified by pid + start time + boot id + the app's mark in its environ; any other process is
 * never signalled. Source: rules 3.1 step 7.
 */
import { closeSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs';
import type { ProcessIdentity } from '../schema/backend.ts';
import { errorCode } from '../schema/system-error.ts';
import { readIfThere, readRecord, writeFileAtomic } from './atomic-file.ts';

let cachedBootId = '';

export function bootId(): string {
  if (cachedBootId === '') cachedBootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return cachedBootId;
}

export interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly startTicks: number;
}

/** Errors that say nothing about the process. A process that this account may not look at is another one. */
const short: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO']);

/** Null when there is no such process, or it can't be looked at. */
export function readStat(pid: number): ProcessStat | null {
  const stat = statOf(pid);
  return stat === 'unknown' ? null : stat;
}

/** Null when there is no such process. The name field may hold spaces and brackets: fields count from the last ')'. */
function statOf(pid: number): ProcessStat | 'unknown' | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    return short.has(errorCode(error)) ? 'unknown' : null;
  }
  const rest = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: rest[0] ?? '?', parent: Number(rest[1]), group: Number(rest[2]), startTicks: Number(rest[19]) };
}

const isGoneState = (state: string): boolean => state === 'Z' || state === 'X' || state === 'x';

export function identityOf(pid: number): ProcessIdentity | null {
  const stat = readStat(pid);
  return stat === null || isGoneState(stat.state) ? null : { pid, startTicks: stat.startTicks, bootId: bootId() };
}

/** The very same process, living; a zombie counts as dead. One that can't be looked at, as without a free descriptor, stays as it was: alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return false;
  const stat = statOf(identity.pid);
  if (stat === 'unknown') return true;
  return stat !== null && stat.startTicks === identity.startTicks && !isGoneState(stat.state);
}

export function sameProcess(left: ProcessIdentity | null, right: ProcessIdentity | null): boolean {
  return left !== null && right !== null && left.pid === right.pid && left.startTicks === right.startTicks && left.bootId === right.bootId;
}

/** Whether it lives and belongs to the app: the pid may have been reused. */
export const isOfApp = (identity: ProcessIdentity, mark: AppMark): boolean =>
  isAlive(identity) && markedEnviron(identity.pid, mark) !== null;

/** The environment the process was given at exec; null when it can't be read (gone, or another account's). */
export function environOf(pid: number): ReadonlyMap<string, string> | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return null;
  }
  const entries = text.split('\0').map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  return new Map(entries.filter(([name]) => name !== ''));
}

const environProbe = Buffer.alloc(16 * 1_024);

/** Whether its environment may hold the text: a walk over hundreds of processes takes none apart that can't. False when it can't be read. */
function mayBeMarked(pid: number, sought: string): boolean {
  let fd: number;
  try {
    fd = openSync(`/proc/${pid}/environ`, 'r');
  } catch {
    return false;
  }
  try {
    const length = readSync(fd, environProbe, 0, environProbe.length, 0);
    // A longer one is read whole.
    return length === environProbe.length || environProbe.subarray(0, length).includes(sought);
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
}

/** The mark of a process of an app in a home: the id alone would mix several homes of one account. */
export interface AppMark {
  readonly app: string;
  readonly socket: string;
}

/** The environ of a process of the app, or null when it is not one. */
export function markedEnviron(pid: number, mark: AppMark): ReadonlyMap<string, string> | null {
  const environ = environOf(pid);
  if (environ === null || environ.get('SVC_APP_ID') !== mark.app || environ.get('SVC_APP_SOCKET') !== mark.socket) return null;
  return environ;
}

/** Living processes, zombies left out. */
export function livingPids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => name >= '1' && name < ':')
    .map(Number);
}

/** Living processes with that in their environment, this one left out. One that emptied its environment is not found. */
export function processesWith(name: string, value: string): readonly number[] {
  const sought = `${name}=${value}`;
  return livingPids().filter((pid) => pid !== process.pid && mayBeMarked(pid, sought) && environOf(pid)?.get(name) === value);
}

export interface Marked {
  readonly identity: ProcessIdentity;
  /** Leader of its own process group. */
  readonly leader: boolean;
}

/** All living processes that carry a mark (or that of one socket), by `app socket`: one walk over the process table for many apps. */
export function markedProcesses(ofSocket?: string): ReadonlyMap<string, readonly Marked[]> {
  const sought = ofSocket === undefined ? 'SVC_APP_SOCKET=' : `SVC_APP_SOCKET=${ofSocket}`;
  const byMark = new Map<string, Marked[]>();
  for (const pid of livingPids()) {
    if (pid === process.pid || !mayBeMarked(pid, sought)) continue;
    const environ = environOf(pid);
    const socket = environ?.get('SVC_APP_SOCKET');
    const stat = socket === undefined ? null : readStat(pid);
    if (stat === null || isGoneState(stat.state)) continue;
    const key = `${environ?.get('SVC_APP_ID') ?? ''} ${socket ?? ''}`;
    const found = { identity: { pid, startTicks: stat.startTicks, bootId: bootId() }, leader: stat.group === pid };
    byMark.set(key, [...(byMark.get(key) ?? []), found]);
  }
  for (const found of byMark.values()) {
    found.sort((left, right) => Number(right.leader) - Number(left.leader) || left.identity.startTicks - right.identity.startTicks);
  }
  return byMark;
}

/** The living processes of one app, leaders first, the oldest before the others. */
export function processesOf(mark: AppMark, all = markedProcesses(mark.socket)): readonly Marked[] {
  return all.get(`${mark.app} ${mark.socket}`) ?? [];
}

/** The process and what descends from it, without a walk over the process table; at most 64 of them. */
export function familyOf(pid: number): readonly number[] {
  const family = [pid];
  for (let at = 0; at < family.length && family.length < 64; at += 1) {
    const children = readIfThere(`/proc/${family[at]}/task/${family[at]}/children`) ?? '';
    family.push(...children.split(' ').filter(Boolean).map(Number));
  }
  return family;
}

/** Whether a living process is left in the group. The fast answer costs one system call. */
export function groupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  // Zombies accept signals too; without a parent that reaps them they would count as alive forever.
  return livingPids().some((pid) => {
    const stat = readStat(pid);
    return stat !== null && stat.group === group && !isGoneState(stat.state);
  });
}

/** Sends to one process or, with a negative pid, to a group; false when there is none. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** `PID STARTTICKS BOOTID`: people get the pid with `cut -d' ' -f1`, we read all of it. */
export function writePidFile(path: string, identity: ProcessIdentity): void {
  writeFileAtomic(path, `${identity.pid} ${identity.startTicks} ${identity.bootId}\n`);
}

/** Null when missing or not in our format. Throws when the disk does not let us read it: a process may be named there. */
export function readPidFile(path: string): ProcessIdentity | null {
  const match = /^([1-9][0-9]{0,9}) ([0-9]{1,19}) ([0-9a-f-]{36})\n$/.exec(readRecord(path) ?? '');
  return match?.[3] === undefined ? null : { pid: Number(match[1]), startTicks: Number(match[2]), bootId: match[3] };
}

/**
 * A cheap exact watch on a process that is not our child: the open file belongs to that very process, so pid reuse can't fool it.
 * An ended process can't be read, a zombie shows no memory.
 */
export interface ProcessWatch {
  readonly alive: () => boolean;
  readonly close: () => void;
}

const probe = Buffer.alloc(64);

/** Null when the process is gone already. */
export function watchProcess(identity: ProcessIdentity): ProcessWatch | null {
  let fd: number;
  try {
    fd = openSync(`/proc/${identity.pid}/statm`, 'r');
  } catch {
    return null;
  }
  const close = (): void => closeSync(fd);
  const alive = (): boolean => {
    try {
      // "0 0 0 …" is a process without memory: a zombie.
      return readSync(fd, probe, 0, probe.length, 0) > 1 && probe[0] !== 0x30;
    } catch {
      return false;
    }
  };
  // Opened first, compared afterwards: the open file can't be of a later process with the same pid.
  if (alive() && isAlive(identity)) return { alive, close };
  close();
  return null;
}

export interface StateWatch {
  /** Stopped by a signal or by a tracer. */
  readonly isStopped: () => boolean;
  readonly close: () => void;
}

const statProbe = Buffer.alloc(256);

/** As cheap as `watchProcess`, and as sure whose state it is. Null when the process is gone already. */
export function watchState(identity: ProcessIdentity): StateWatch | null {
  let fd: number;
  try {
    fd = openSync(`/proc/${identity.pid}/stat`, 'r');
  } catch {
    return null;
  }
  const close = (): void => closeSync(fd);
  const isStopped = (): boolean => {
    try {
      const length = readSync(fd, statProbe, 0, statProbe.length, 0);
      const state = statProbe[statProbe.subarray(0, length).lastIndexOf(')') + 2];
      return state === 0x54 || state === 0x74;
    } catch {
      return false;
    }
  };
  if (isAlive(identity)) return { isStopped, close };
  close();
  return null;
}

let bootTimeMs = 0;

/** Wall time at which the process started; /proc counts 100 ticks a second for user space on every Linux. */
export function startedAtMs(identity: ProcessIdentity): number {
  if (bootTimeMs === 0) bootTimeMs = Number(/^btime ([0-9]+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? 0) * 1_000;
  return bootTimeMs + identity.startTicks * 10;
}
