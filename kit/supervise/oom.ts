/**
 * Distinguishes an OOM kill from a crash by the kernel's counters: those of the app's scope while it exists, those of the slice above once
 * it is gone (events count upwards, and a scope is removed with its last process), those of the machine for an app without a scope. A count
 * is compared with the last observation, so that an earlier kill of a worker is not taken for the end of its leader.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { kernelFile } from './kernel-file.ts';

/** Null: there is no such group, or it can't be read. */
export interface OomCounters {
  readonly scope: number | null;
  readonly slice: number | null;
}

/** `oom_kill N` of a memory.events or of /proc/vmstat. Null without that line. */
export function parseOomKills(text: string): number | null {
  const count = /^oom_kill ([0-9]{1,15})$/m.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

function readOomKills(path: string): number | null {
  try {
    return parseOomKills(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

const readVmstat = kernelFile('/proc/vmstat', '\noom_kill ');

/** How many processes the kernel has killed for want of memory since boot. */
export function oomKillCount(): number {
  const text = readVmstat();
  const at = text?.lastIndexOf('\noom_kill ') ?? -1;
  return (text === null || at === -1 ? null : parseOomKills(text.toString('latin1', at + 1, at + 32))) ?? 0;
}

/** `cgroup` is the scope's folder below `root`. */
export function oomCountersOf(cgroup: string | null, root = '/sys/fs/cgroup'): OomCounters {
  if (cgroup === null) return { scope: null, slice: null };
  return { scope: readOomKills(`${root}${cgroup}/memory.events`), slice: readOomKills(`${root}${dirname(cgroup)}/memory.events`) };
}

export interface OomEvidence {
  /** At the last observation. */
  readonly before: OomCounters;
  readonly after: OomCounters;
  /** Kills on the whole machine since the last observation. */
  readonly machineKills: number;
  /** SIGKILL, or an end whose signal is unknown. */
  readonly killed: boolean;
}

export function isOutOfMemory({ before, after, machineKills, killed }: OomEvidence): boolean {
  const more = (name: keyof OomCounters): boolean | null => {
    const [was, is] = [before[name], after[name]];
    return was === null || is === null ? null : is > was;
  };
  // The scope counts its own kills; a kill in the slice or on the machine may be another app's, so this one must have been ended by
  // SIGKILL.
  return more('scope') ?? (killed && (more('slice') ?? machineKills > 0));
}
