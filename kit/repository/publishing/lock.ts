/**
 * Allows one publisher at a time per repository folder. The lock is a transaction held open on a small SQLite file: the kernel drops it with the
 * process, also on kill -9. Decision: docs/decisions/0055-repository-on-disk.md
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../../schema/errors.ts';
import { refuseOtherKindSync } from '../../../schema/plain-file.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { limits } from '../limits.ts';

/** Keeps the handles reachable: a collected DatabaseSync closes its file, and the lock would silently go. */
const held = new Set<DatabaseSync>();

/** Runs `work` alone, among processes and within this one. Rejects REPOSITORY_BUSY when others hold it for too long. */
export async function withRepositoryLock<T>(root: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path.join(root, repositoryPaths.own), { recursive: true, mode: 0o700 });
  const database = await lock(path.join(root, repositoryPaths.lock));
  held.add(database);
  try {
    return await work();
  } finally {
    held.delete(database);
    database.close();
  }
}

async function lock(file: string): Promise<DatabaseSync> {
  // The wait of SQLite itself would stop this whole process; the file is never opened in another way, which would drop the lock.
  refuseOtherKindSync(file);
  const until = performance.now() + limits.repositoryLockMsMax;
  for (;;) {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      database.close();
      if ((error as { errcode?: number }).errcode !== 5) throw error;
      if (performance.now() >= until) {
        throw new SvcError('REPOSITORY_BUSY', 'another publisher holds the repository: try again', {}, { cause: error });
      }
    }
    await sleep(limits.repositoryLockPollMs);
  }
}
