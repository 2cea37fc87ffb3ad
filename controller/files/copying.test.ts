import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { PinnedFileSystem } from './file-system.ts';
import { createNodeFileSystem } from './node-file-system.ts';
import { copyTo } from './moving.ts';

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
    const quietly = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };
    await copyTo(fs, Buffer.from(at('obra')), Buffer.from(at('copia')), 'recusar', quietly);
    expect(readdirSync(at('copia'), { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(['dentro', 'dentro/a', 'vazio']);
    expect(readFileSync(at('copia/dentro/a'), 'utf8')).toBe('um');
    const { mode, mtimeMs } = statSync(at('copia/dentro'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o750, 1_000_000]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
