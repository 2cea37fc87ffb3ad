/**
 * Allows one supervisor per home: a flock on the file that ~/.svc-apps/supervisor.lock names now. The shim takes it and this process inherits the
 * descriptor; if the file or folder is deleted, the lock loses its name, and the next supervisor would get another one.
 * Decision: docs/decisions/0132-what-is-deleted-under-its-owner.md
 */
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, readdirSync, type Stats } from 'node:fs';
import { limits } from './limits.ts';
import { pathState } from '../atomic-file.ts';
import { appendPlainFileSync } from '../../schema/plain-file.ts';

/** lost: another supervisor holds it. unknown: it can't be determined now. */
export type Hold = 'held' | 'lost' | 'unknown';

export interface Lock {
  /** Checks whether the lock is still the one of the path; takes it again when it is free. */
  readonly check: () => Hold;
}

export function lockAt(path: string): Lock {
  let fd = inheritedLock(path);
  return {
    check: () => {
      const now = pathState(path);
      if (now.kind === 'unknown') return 'unknown';
      if (now.kind === 'present' && fd !== null && isSame(fstatSync(fd), now.stat)) return 'held';
      const next = takeLock(path);
      if (next === 'lost' || next === 'unknown') return next;
      if (fd !== null) closeSync(fd);
      fd = next;
      return 'held';
    },
  };
}

const isSame = (left: Stats, right: Stats): boolean => left.ino === right.ino && left.dev === right.dev;

/** The shim's descriptor; found by what it is open on, since flock(1) chooses the number. */
function inheritedLock(path: string): number | null {
  const now = pathState(path);
  if (now.kind !== 'present') return null;
  for (const name of readdirSync('/proc/self/fd')) {
    try {
      if (isSame(fstatSync(Number(name)), now.stat)) return Number(name);
    } catch {
      // The one that listed the folder.
    }
  }
  return null;
}

/** flock(2) belongs to the open file, not to the process: what flock(1) locks through our descriptor stays ours after its end. */
function takeLock(path: string): number | 'lost' | 'unknown' {
  let fd: number;
  try {
    fd = appendPlainFileSync(path, 0o600);
  } catch {
    return 'unknown';
  }
  const asked = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    timeout: limits.flockMsMax,
    env: { PATH: '/usr/bin:/bin' },
  });
  const now = pathState(path);
  const isOfThePath = now.kind === 'present' && isSame(fstatSync(fd), now.stat);
  if (asked.status === 0 && isOfThePath) return fd;
  closeSync(fd);
  // flock exits with 1 when the lock is held; any other code says nothing.
  return asked.status === 1 && isOfThePath ? 'lost' : 'unknown';
}
