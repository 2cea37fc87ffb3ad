import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { PinnedFileSystem } from './file-system.ts';
import { createNodeFileSystem } from './node-file-system.ts';
import { bytesIn, isSameTree, removeTree } from './trees.ts';
import { limits } from './limits.ts';
import { copyTo } from './moving.ts';

const quietly = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };

test('what appears in the source after it was read is no part of the copy, and never an empty file there', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svct-'));
  const at = (name: string): string => path.join(folder, name);
  try {
    mkdirSync(at('obra/dentro'), { recursive: true });
    writeFileSync(at('obra/dentro/a'), 'um');
    writeFileSync(at('obra/vazio'), '');
    chmodSync(at('obra/dentro'), 0o750);
    utimesSync(at('obra/dentro'), 1_000, 1_000);
    const here = createNodeFileSystem();
    const fs: PinnedFileSystem = {
      ...here,
      pinned: async () => fs,
      keepAttributes: async (from, to, what) => {
        writeFileSync(at('obra/tarde'), 'dois');
        mkdirSync(at('obra/dentro/nova'));
        writeFileSync(at('obra/dentro/nova/b'), 'três');
        return await here.keepAttributes(from, to, what);
      },
    };
    await copyTo(fs, Buffer.from(at('obra')), Buffer.from(at('copia')), 'recusar', quietly);
    expect(readdirSync(at('copia'), { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(['dentro', 'dentro/a', 'vazio']);
    expect(readFileSync(at('copia/dentro/a'), 'utf8')).toBe('um');
    const { mode, mtimeMs } = statSync(at('copia/dentro'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o750, 1_000_000]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

type Endless = readonly [string, (fs: PinnedFileSystem, folder: Buffer) => Promise<unknown>];
/** Read one by one, a million of them take a quarter of a minute. */
const isLong = process.env['SVC_TEST_LONG'] === '1';
const inTurn: readonly Endless[] = [
  ['copy', (fs, folder) => copyTo(fs, folder, Buffer.concat([folder, Buffer.from('-copia')]), 'recusar', quietly)],
  ['removal', (fs, folder) => removeTree(fs, folder, quietly)],
];

test.for<Endless>([
  ['comparison', (fs, folder) => isSameTree(fs, folder, folder, quietly.signal)],
  ['count', (fs, folder) => bytesIn(fs, folder, quietly.signal)],
  ...(isLong ? inTurn : []),
])('a folder that never ends: a %s does', async ([, act]) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svct-'));
  const [here, file] = [createNodeFileSystem(), await createNodeFileSystem().lstat(Buffer.from(import.meta.filename))];
  const piece = Array.from({ length: 50_000 }, (_, n) => ({ ...file, name: Buffer.from(`${n}.txt`) }));
  let given = 0;
  const fs: PinnedFileSystem = {
    ...here,
    pinned: async () => fs,
    lstat: async (at) => (at.toString().endsWith('.txt') ? { ...file, kind: 'link' } : await here.lstat(at)),
    removeFile: async () => undefined,
    readLink: async (at) => (at.toString().endsWith('.txt') ? Buffer.from('x') : await here.readLink(at)),
    symlink: async () => undefined,
    list: async function* () {
      for (;;) {
        given += piece.length;
        yield piece;
      }
    },
  };
  try {
    await expect(act(fs, Buffer.from(folder))).rejects.toMatchObject({ errno: 'EMANY' });
    expect(given).toBeLessThanOrEqual(limits.treeEntriesMax * 3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
