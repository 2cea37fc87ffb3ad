import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { repositoryPaths } from '../layout/paths.ts';
import { withRepositoryLock } from './lock.ts';

test('the lock of a repository is held until the work under it is over, also one that fails', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-lock-'));
  const isFree = (): boolean => {
    const other = new DatabaseSync(path.join(root, repositoryPaths.lock), { timeout: 0 });
    try {
      other.exec('BEGIN EXCLUSIVE');
      return true;
    } catch {
      return false;
    } finally {
      other.close();
    }
  };
  try {
    const seen = await withRepositoryLock(root, async () => {
      await Promise.resolve();
      return isFree();
    });
    await expect(withRepositoryLock(root, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
    expect([seen, isFree()]).toEqual([false, true]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
