import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FileFault } from './file-fault.ts';
import type { PinnedFileSystem } from './file-system.ts';
import { moveTo } from './moving.ts';
import { createNodeFileSystem } from './node-file-system.ts';

test('a move to another disk whose copy is not the same there leaves the original, and nothing at its place', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-moving-'));
  const [from, to] = [path.join(folder, 'a.txt'), path.join(folder, 'b.txt')];
  const here = createNodeFileSystem();
  const otherDisk = async (): Promise<never> => {
    throw new FileFault('EXDEV');
  };
  const isSource = (one: Buffer): boolean => path.basename(one.toString()) === 'a.txt';
  const fs: PinnedFileSystem = {
    ...here,
    link: (one, other) => (isSource(one) ? otherDisk() : here.link(one, other)),
    rename: (one, other) => (isSource(one) ? otherDisk() : here.rename(one, other)),
    open: async (...how) => {
      const file = await here.open(...how);
      // A disk that loses a bit.
      return how[1] === 'create' ? { ...file, write: (at) => file.write(at, [Buffer.from('bYtes')]) } : file;
    },
    pinned: async () => fs,
  };
  const quietly = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };
  try {
    writeFileSync(from, 'bytes');
    await expect(moveTo(fs, Buffer.from(from), Buffer.from(to), 'recusar', quietly)).rejects.toMatchObject({ errno: 'EDIFFERENT' });
    expect([readFileSync(from, 'utf8'), existsSync(to)]).toEqual(['bytes', false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
