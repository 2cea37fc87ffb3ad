import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { takeLock } from './lock.ts';

test('one installer holds the lock, alone, until it releases it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-lock-'));
  const file = path.join(folder, 'notas.lock');
  const isFree = (): boolean => spawnSync('flock', ['-n', '-s', file, 'true']).status === 0;
  try {
    const release = await takeLock(file);
    expect(isFree()).toBe(false);
    release();
    await expect.poll(isFree).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
