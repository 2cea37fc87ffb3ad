/**
 * While a backup reads attachments and files of jobs, the portal removes none of them: what the store named at the moment of the backup is there until it was
 * read. The lock of `STATE/backup.lock` says so, which the kernel drops with the process. Decision: docs/decisions/0404-a-backup-is-one-moment.md
 */
import { chownSync, statSync } from 'node:fs';
import path from 'node:path';
import { pause, type Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Bytes } from '../bytes.ts';
import { limits } from '../limits.ts';
import { lockFile } from '../state-lock.ts';

export const holdFile = (stateDir: string): string => path.join(stateDir, 'backup.lock');

/** From now on nothing is removed. Rejects CONFLICT when another backup has them for long. */
export async function holdFiles(stateDir: string, clock: Clock): Promise<{ release(): void }> {
  const endMs = clock.monotonicMs() + limits.backupHoldWaitMsMax;
  for (;;) {
    const lock = lockFile(holdFile(stateDir));
    if (lock !== null) return ownedByState(lock, stateDir);
    if (clock.monotonicMs() >= endMs) throw new SvcError('CONFLICT', `another backup of ${stateDir} reads its files: wait for its end`);
    await pause(clock, limits.backupHeldLookMs);
  }
}

/** The row of what is removed is gone before: a backup whose moment comes after the look does not name it. */
export function removedAfterBackups(files: Bytes, stateDir: string, clock: Clock): Bytes {
  const untilReleased = async (): Promise<void> => {
    for (;;) {
      const lock = lockFile(holdFile(stateDir));
      if (lock !== null) return lock.release();
      await pause(clock, limits.backupHeldLookMs);
    }
  };
  return {
    ...files,
    remove: async (folder, name) => {
      // An incoming file has no row yet.
      if (!name.startsWith('.')) await untilReleased();
      await files.remove(folder, name);
    },
    removeFolder: async (folder) => {
      await untilReleased();
      await files.removeFolder(folder);
    },
  };
}

/** The portal locks the file as its own account, also after a backup of root. */
function ownedByState<Lock>(lock: Lock, stateDir: string): Lock {
  const { uid, gid } = statSync(stateDir);
  if (process.getuid?.() === 0) chownSync(holdFile(stateDir), uid, gid);
  return lock;
}
