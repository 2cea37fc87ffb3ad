import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bytesContract } from './bytes-contract.ts';
import { createFolderBytes } from './folder-bytes.ts';

bytesContract(() => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-bytes-'));
  return {
    open: async () => createFolderBytes(path.join(dir, 'all')),
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  };
});

test('a link is not followed, a folder is no file, and only the account reads them', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-bytes-'));
  try {
    const files = createFolderBytes(path.join(dir, 'all'));
    await (await files.grow('a', 'x')).close();
    writeFileSync(path.join(dir, 'secret'), 'secret');
    symlinkSync(path.join(dir, 'secret'), path.join(dir, 'all/a/link'));
    mkdirSync(path.join(dir, 'all/a/folder'));
    expect([await files.open('a', 'link'), await files.open('a', 'folder'), await files.open('a/x', 'y')]).toEqual([null, null, null]);
    await expect(files.grow('a', 'link')).rejects.toMatchObject({ code: 'ELOOP' });
    const modes = ['all', 'all/a', 'all/a/x'].map((name) => statSync(path.join(dir, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
