/** Archives that are small and become large: refused before they do harm, whatever they say about themselves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { tellCount } from '../../test/support/counts.ts';
import { mountTmpfs, unmount } from '../../test/support/mounts.ts';
import { extractArchive } from './extract.ts';
import { packageArchive } from './rules.ts';
import { inPieces, pax, type RawEntry, rawEntry, tarball, tarEnd } from './testing/raw-tar.ts';
import { outside } from './testing/trees.ts';

let base: string;
let target: string;
let before: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'svc-bomb-'));
  mkdirSync(join(base, 'canary'));
  writeFileSync(join(base, 'canary/file'), 'mine');
  target = join(base, 'target');
  before = outside(base, target);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

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
  const bytes = make();
  let written = 0;
  const watch = setInterval(() => (written = Math.max(written, statSync(join(target, 'zeros'), { throwIfNoEntry: false })?.size ?? 0)), 1);
  const outcome = await extractArchive(inPieces(bytes), target, { limits: packageArchive }).catch((error: unknown) => error);
  clearInterval(watch);
  const found = outcome instanceof SvcError ? outcome.details['rule'] : outcome;
  // The inner gzip is no tar: that is reported when it is reached first.
  expect(rule === 'RATIO' ? [rule, 'HEADER', 'NUMBER', 'CHECKSUM'] : [rule]).toContain(found);
  expect(written).toBeLessThan(40 * mebi);
  expect([existsSync(target), outside(base, target) === before]).toEqual([false, true]);
});

test.runIf(process.getuid?.() === 0)(
  'what each takes of memory and of the disk, in a program of its own',
  { timeout: 240_000 },
  async () => {
    const disk = join(base, 'disk');
    await mountTmpfs(disk, 'size=256m');
    let [memory, most] = [0, 0];
    const refused: unknown[] = [];
    try {
      for (const [nth, [, , make]] of bombs.entries()) {
        const file = join(base, `bomb-${nth}.tgz`);
        writeFileSync(file, make());
        const program = spawn(process.execPath, [join(import.meta.dirname, 'testing/extract-once.ts'), file, join(disk, 'out'), 'package']);
        let said = '';
        program.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
        const look = setInterval(() => {
          const { blocks, bfree, bsize } = statfsSync(disk);
          most = Math.max(most, (blocks - bfree) * bsize);
        }, 2);
        await once(program, 'close');
        clearInterval(look);
        const outcome = JSON.parse(said) as { readonly refused?: unknown; readonly peakKib: number };
        refused.push(outcome.refused);
        memory = Math.max(memory, outcome.peakKib / 1_024);
        expect(existsSync(join(disk, 'out'))).toBe(false);
        rmSync(file);
      }
    } finally {
      await unmount(disk);
      rmSync(disk, { recursive: true, force: true });
    }
    tellCount(
      `bombs: ${bombs.length}, refused by ${refused.join(' ')}; peak ${memory.toFixed(0)} MiB of memory, ${(most / mebi).toFixed(0)} MiB of the disk`,
    );
    expect(refused.every((rule) => typeof rule === 'string')).toBe(true);
    // Node itself takes 50 MiB of the memory.
    expect(memory).toBeLessThan(192);
    expect(most).toBeLessThan(64 * mebi);
  },
);
