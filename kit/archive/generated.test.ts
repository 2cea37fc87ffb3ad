/** Generated archives against another reading of the same parts: taken as they were meant, or refused whole. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { extractArchive } from './extract.ts';
import { removeTree } from './folder-writer.ts';
import { packageArchive } from './rules.ts';
import { inPieces, pax, type RawEntry, rawEntry, tarEnd } from './testing/raw-tar.ts';
import { inside, outside } from './testing/trees.ts';

let base: string;
let target: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'svc-archive-'));
  mkdirSync(join(base, 'canary/inner'), { recursive: true });
  writeFileSync(join(base, 'canary/file'), 'untouched');
  target = join(base, 'place/target');
  mkdirSync(join(base, 'place'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const wicked = ['..', '.', '', '/', 'a-1', 'x', 'y', 'l', 'canary', 'cafe\u0301', 'café', '\\', '\0', '\u202e', 'é', '~', '-rf', ' '];
const names = fc.array(fc.constantFrom(...wicked), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const ordinary = fc.array(fc.constantFrom('x', 'y', 'l', 'dir'), { minLength: 1, maxLength: 3 }).map((parts) => `a-1/${parts.join('/')}`);
const name = fc.oneof(
  { weight: 5, arbitrary: ordinary },
  { weight: 1, arbitrary: names },
  { weight: 1, arbitrary: names.map((n) => `a-1/${n}`) },
);
const entry: fc.Arbitrary<RawEntry | Buffer> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      name,
      type: fc.oneof(
        { weight: 7, arbitrary: fc.constantFrom('0', '0', '\0', '5') },
        { weight: 1, arbitrary: fc.constantFrom('1', '2', '3', '6', '7', 'L', 'K', 'S', 'g', 'x', 'A') },
      ),
      link: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom('../canary', '/etc', 'x') }),
      data: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 2, arbitrary: fc.string({ maxLength: 600 }) }),
      checksumOff: fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(256) }),
      magic: fc.oneof(
        { weight: 20, arbitrary: fc.constant('ustar\u000000') },
        { weight: 1, arbitrary: fc.constantFrom('ustar  \0', 'nothing!') },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('path', 'path', 'size', 'linkpath', 'mtime'), name).map(([key, value]) => pax({ [key]: value })),
  },
);

/** What the archive means, decided by another reading of the same parts; null when it must be refused. Written without the reader. */
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
    if (field.endsWith('/') && !isFolder) return null;
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

const long = process.env['SVC_TEST_LONG'] === '1';
const runs = long ? 10_000 : 2_000;
test(`${runs} generated archives: nothing outside changes`, { timeout: 300_000 }, async () => {
  const before = outside(base, target);
  let taken = 0;
  const archives = fc.array(entry, { minLength: 1, maxLength: 6 });
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
    { numRuns: runs },
  );
  expect(outside(base, target)).toBe(before);
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
    { numRuns: long ? 5_000 : 500 },
  );
  expect(outside(base, target)).toBe(before);
});
