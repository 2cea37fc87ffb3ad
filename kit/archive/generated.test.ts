/** Generated archives against another reading of the same parts: taken as they were meant, or refused whole. */
import { existsSync, rmSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { SvcError } from '../../schema/errors.ts';
import { extractArchive } from './extract.ts';
import { removeTree } from './folder-writer.ts';
import { packageArchive } from './rules.ts';
import { hostileArchives, orderlyArchives } from './testing/hostile.ts';
import { inPieces, type RawEntry, rawEntry, tarEnd } from './testing/raw-tar.ts';
import { inside, outside, placeWithCanaries } from './testing/trees.ts';
import { amount } from '../../test/support/amount.ts';

let base: string;
let target: string;
beforeAll(() => ({ base, target } = placeWithCanaries()));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The meaning of the archive, derived from the same parts without the reader; null when it must be refused. */
function meaning(parts: readonly (RawEntry | Buffer)[]): Record<string, string> | null {
  const tree: Record<string, string> = {};
  const explicit = new Set<string>();
  let override: string | undefined;
  let pending = false;
  for (const part of parts) {
    if (Buffer.isBuffer(part)) {
      if (pending) return null;
      const [, key, value] = /^\d+ (\w+)=([\s\S]*)\n\0*$/.exec(part.subarray(512).toString()) ?? [];
      if (key !== 'path' && key !== 'mtime') return null;
      if (key === 'path' && value === '') return null;
      pending = true;
      override = key === 'path' ? value : undefined;
      continue;
    }
    const isFolder = part.type === '5';
    if (!['0', '\0', '5'].includes(part.type as string) || part.link !== '' || part.checksumOff !== 0) return null;
    // The field is filled up with NULs anyway.
    const field = String(part.name).replace(/\0+$/, '');
    if (part.magic === 'nothing!' || (isFolder && part.data !== '') || field.includes('\0')) return null;
    const full = override ?? field;
    [override, pending] = [undefined, false];
    if (full.endsWith('/') && !isFolder) return null;
    const path = isFolder ? full.replace(/\/$/, '') : full;
    if (path.normalize() !== path || /[\\\0\u202e]/.test(path)) return null;
    const [first, ...below] = path.split('/');
    if (first !== 'a-1' || (below.length === 0 && !isFolder) || below.some((one) => ['', '.', '..'].includes(one))) return null;
    const shown = below.join('/');
    if (explicit.has(shown) || (!isFolder && `${shown}/` in tree)) return null;
    for (let at = 1; at < below.length; at += 1) {
      const parent = below.slice(0, at).join('/');
      if (parent in tree) return null;
      tree[`${parent}/`] = '';
    }
    if (isFolder && shown in tree) return null;
    explicit.add(shown);
    if (below.length > 0) tree[isFolder ? `${shown}/` : shown] = Buffer.from(part.data ?? '').toString('latin1');
  }
  return pending || Object.keys(tree).length === 0 ? null : tree;
}

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const runs = amount(2_500, 12_500);
/** A fifth of them is orderly; about an eighth of the others is taken, which in a quick run may be few by chance. */
const archives = fc.oneof({ weight: 4, arbitrary: hostileArchives }, { weight: 1, arbitrary: orderlyArchives });
test(`${runs} generated archives: nothing outside changes (seed ${seed})`, { timeout: 300_000 }, async () => {
  const before = outside(base, target);
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(archives, fc.constantFrom(7, 512, 1_000_000), async (parts, pieces) => {
      removeTree(target);
      const expected = meaning(parts);
      const tar = Buffer.concat([...parts.map((part) => (Buffer.isBuffer(part) ? part : rawEntry(part))), tarEnd]);
      const source = inPieces(gzipSync(tar, { level: 1 }), pieces);
      const outcome = await extractArchive(source, target, { limits: packageArchive, root: 'a-1' }).then(
        () => 'taken',
        (error: unknown) => (error instanceof SvcError && error.code === 'ARCHIVE_REFUSED' ? 'refused' : String(error)),
      );
      const tree = existsSync(target) ? inside(target) : null;
      expect({ outcome, tree }).toEqual({ outcome: expected === null ? 'refused' : 'taken', tree: expected });
      taken += expected === null ? 0 : 1;
    }),
    { numRuns: runs, seed },
  );
  expect(outside(base, target)).toBe(before);
  tellCount(
    `generated archives against their meaning: ${runs} (${taken} taken, ${runs - taken} refused whole), bytes outside of the target: 0, seed ${seed}`,
  );
  // The generator makes enough of both kinds.
  expect(taken).toBeGreaterThan(runs / 10);
  expect(taken).toBeLessThan(runs * 0.9);
});

test('a byte changed anywhere never makes another content', { timeout: 300_000 }, async () => {
  const tar = Buffer.concat([rawEntry({ name: 'a-1/', type: '5' }), rawEntry({ name: 'a-1/x', data: 'hello' }), tarEnd]);
  const gzip = gzipSync(tar);
  const bytes = Buffer.concat([gzip.subarray(0, 10), deflateRawSync(tar, { level: 0 }), gzip.subarray(-8)]);
  const before = outside(base, target);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      removeTree(target);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ flip;
      const outcome = await extractArchive(inPieces(changed), target, { limits: packageArchive }).then(
        () => JSON.stringify(inside(target)),
        (error: SvcError) => error.code,
      );
      // The gzip header and the deflate stream hold bits that say nothing about the content.
      expect(['{"x":"hello"}', 'ARCHIVE_REFUSED']).toContain(outcome);
      expect(existsSync(target)).toBe(outcome !== 'ARCHIVE_REFUSED');
    }),
    { numRuns: amount(500, 5_000), seed },
  );
  expect(outside(base, target)).toBe(before);
});
