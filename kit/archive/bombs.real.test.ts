/** Archives that are small and become large: refused in a program of its own, before they take its memory or the disk, whatever they say about themselves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { mountTmpfs, unmount } from '../../test/support/mounts.ts';
import { compileCache } from '../testing/compile-cache.ts';
import { pax, type RawEntry, rawEntry, tarball, tarEnd } from './testing/raw-tar.ts';
import { outside } from './testing/trees.ts';

let base: string;
/** A file system of its own where that can be had: what is used of it is then the use of the program. */
let disk: string;
const isRoot = process.getuid?.() === 0;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'svc-bomb-'));
  mkdirSync(join(base, 'canary'));
  writeFileSync(join(base, 'canary/file'), 'mine');
  disk = join(base, 'disk');
  mkdirSync(disk);
  if (isRoot) await mountTmpfs(disk, 'size=256m');
});
afterAll(async () => {
  if (isRoot) await unmount(disk);
  rmSync(base, { recursive: true, force: true });
});

function used(): number {
  if (!isRoot) return 0;
  const { blocks, bfree, bsize } = statfsSync(disk);
  return (blocks - bfree) * bsize;
}

const root: RawEntry = { name: 'a-1/', type: '5', mode: '0000755' };
const file = (name: string): RawEntry => ({ name: `a-1/${name}`, data: 'evil' });
const mebi = 1_024 * 1_024;
/** Zeros that inflate a thousandfold, in an archive that is well formed. */
const bomb = (megabytes: number): Buffer => {
  const data = Buffer.alloc(megabytes * mebi);
  return gzipSync(Buffer.concat([rawEntry(root), rawEntry({ name: 'a-1/zeros', size: data.length }), data, tarEnd]), { level: 9 });
};
const bombs: readonly (readonly [string, string, () => Buffer])[] = [
  ['CVE-2026-59873: a small file that inflates a thousandfold', 'RATIO', () => bomb(64)],
  ['a bomb in a bomb', 'RATIO', () => gzipSync(gzipSync(Buffer.alloc(200 * mebi), { level: 9 }), { level: 9 })],
  ['a size that lies: 8 GiB in 1 KiB', 'BYTES', () => tarball(root, { name: 'a-1/x', size: 0o77777777777, data: 'x' })],
  ['a sparse file of a terabyte (GNU)', 'SPARSE', () => tarball(root, { name: 'a-1/x', type: 'S', size: 512, data: 'x'.repeat(512) })],
  [
    'a sparse file of a terabyte (pax)',
    'PAX',
    () => tarball(root, pax({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0', 'GNU.sparse.realsize': '1099511627776' }), file('x')),
  ],
  ['a million entries', 'ENTRIES', () => tarball(root, ...Array.from({ length: 60_000 }, (_, nth) => ({ name: `a-1/${nth}` })))],
];
test.for(bombs)('%s', { timeout: 120_000 }, async ([, rule, make]) => {
  const file = join(base, 'bomb.tgz');
  writeFileSync(file, make());
  const before = outside(base, disk);
  const usedBefore = used();
  let most = 0;
  const program = spawn(process.execPath, [join(import.meta.dirname, 'testing/extract-once.ts'), file, join(disk, 'out'), 'package'], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  let said = '';
  program.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const look = setInterval(() => (most = Math.max(most, used() - usedBefore)), 2);
  await once(program, 'close');
  clearInterval(look);
  const { refused, peakKib } = JSON.parse(said) as { readonly refused?: string; readonly peakKib: number };
  // The inner gzip is no tar: that is reported when it is reached first.
  expect(rule === 'RATIO' ? [rule, 'HEADER', 'NUMBER', 'CHECKSUM'] : [rule]).toContain(refused);
  expect([existsSync(join(disk, 'out')), outside(base, disk) === before]).toEqual([false, true]);
  tellCount(`bomb ${refused}: ${(peakKib / 1_024).toFixed(0)} MiB of memory, ${(most / mebi).toFixed(0)} MiB of the disk`);
  // Node itself takes 50 MiB of the memory.
  expect(peakKib / 1_024).toBeLessThan(192);
  expect(most).toBeLessThan(40 * mebi);
});
