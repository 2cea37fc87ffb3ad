/**
 * Prevents two launchers of one app. `svc-app-run` holds a flock on launch.lock (taken by its shim). The supervisor launches in its own
 * process, where no flock is possible, so it first writes a claim and then checks the flock, while the launcher first takes the flock and
 * then checks the claim: in any order, at most one of them goes on.
 * Decision: docs/decisions/0023-one-launcher.md
 */
import { readFileSync, readlinkSync, readdirSync, statSync } from 'node:fs';
import type { ProcessIdentity } from '../../schema/backend.ts';
import { unlinkIfThere } from '../atomic-file.ts';
import { isAlive, readPidFile, writePidFile } from '../processes.ts';

const claimFile = (dir: string): string => `${dir}/launch.claim`;

/** Puts up the claim; false (and no claim left) when a launcher holds the lock. */
export function claim(dir: string, lockFile: string, self: ProcessIdentity): boolean {
  writePidFile(claimFile(dir), self);
  try {
    if (!lockHeld(lockFile)) return true;
  } catch (error) {
    release(dir);
    throw error;
  }
  release(dir);
  return false;
}

export function release(dir: string): void {
  unlinkIfThere(claimFile(dir));
}

/** The living process that claims the launch, or null; a claim of the dead counts for nothing. */
export function claimHolder(dir: string): ProcessIdentity | null {
  const holder = readPidFile(claimFile(dir));
  return holder !== null && isAlive(holder) ? holder : null;
}

/** Whether another process holds a flock on the file, by the kernel's list. */
export function lockHeld(path: string): boolean {
  // A read error is thrown: the lock may be held.
  const inode = statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  if (inode === undefined) return false;
  // "1: FLOCK  ADVISORY  WRITE 1234 fe:00:2212520 0 EOF"
  for (const line of readFileSync('/proc/locks', 'latin1').split('\n')) {
    if (!line.includes('FLOCK') || !line.includes(`:${inode} `)) continue;
    const pid = Number(line.split(/\s+/)[4]);
    // The device number shown is not stat's on every file system, so the holder's descriptors decide.
    if (pid > 0 && holdsOpen(pid, path)) return true;
  }
  return false;
}

function holdsOpen(pid: number, path: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === path;
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}
