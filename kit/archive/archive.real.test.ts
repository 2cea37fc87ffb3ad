/** The archive code against the real world: other processes in its folder, a full disk, GNU tar, and 200 MB. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { extractArchive } from './extract.ts';
import { removeTree } from './folder-writer.ts';
import { packFolder } from './pack.ts';
import { engineArchive, packageArchive } from './rules.ts';
import { hostileArchives } from './testing/hostile.ts';
import { inPieces, tarball } from './testing/raw-tar.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'svc-archive-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A digest of names, types, modes and bytes of a tree. */
function digest(root: string): string {
  const hash = createHash('sha256');
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      hash.update(`${path.slice(root.length)}\0${stat.mode}\0`);
      if (stat.isDirectory()) visit(path);
      else if (stat.isFile()) hash.update(readFileSync(path));
    }
  };
  visit(root);
  return hash.digest('hex');
}

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const isLong = process.env['SVC_TEST_LONG'] === '1';
const rounds = isLong ? 10_000 : 100;
const race = `${rounds} good and ${rounds} generated archives against two processes that swap folders for links: nothing outside changes`;
test(`${race} (seed ${seed})`, { timeout: 1_800_000 }, async () => {
  const canary = join(base, 'canary');
  const place = join(base, 'place');
  for (const folder of ['d0/e/f', 'd1/e/f', 'd2']) mkdirSync(join(canary, folder), { recursive: true });
  for (const file of ['x', 'd0/x', 'd0/e/x', 'd0/e/f/x', 'd1/e/x']) writeFileSync(join(canary, file), `canary ${file}`);
  mkdirSync(place);
  const before = digest(canary);
  const names = Array.from({ length: 40 }, (_, at) => `a-1/d${at % 4}/e/f/${at}`);
  const archive = tarball(
    { name: 'a-1/', type: '5' },
    ...names.map((name) => ({ name, data: 'evil' })),
    ...['x', 'd0/x', 'd0/e/x', 'd1/e/x'].map((name) => ({ name: `a-1/${name}`, data: 'evil' })),
  );
  const swappers = [0, 1].map(() =>
    spawn(process.execPath, [join(import.meta.dirname, 'testing/swap-links.ts'), place, canary], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const outcomes = { taken: 0, refused: 0, failed: new Map<string, number>() };
  let swaps = 0;
  try {
    await Promise.all(swappers.map(async (one) => await once(one.stdout, 'data')));
    for (const [round, parts] of [
      ...fc.sample(hostileArchives, { numRuns: rounds, seed }),
      ...Array.from({ length: rounds }, () => null),
    ].entries()) {
      const target = join(place, `t${round}`);
      const bytes = parts === null ? archive : tarball(...parts);
      try {
        await extractArchive(inPieces(bytes, 300), target, { limits: packageArchive });
        outcomes.taken += 1;
      } catch (error) {
        const { code = 'none' } = error as { code?: string };
        if (code === 'ARCHIVE_REFUSED') outcomes.refused += 1;
        else outcomes.failed.set(code, (outcomes.failed.get(code) ?? 0) + 1);
      }
      removeTree(target);
      // Removes the folders that the swappers moved away: otherwise each check of the folder takes longer than the one before.
      if (round % 100 === 99) for (const name of readdirSync(place)) removeTree(join(place, name));
    }
  } finally {
    for (const swapper of swappers) {
      const told = once(swapper.stdout, 'data');
      swapper.kill('SIGTERM');
      swaps += Number(String((await told)[0]));
      await once(swapper, 'exit');
    }
  }
  const outside = digest(canary) === before ? 0 : 'SOME';
  tellCount(
    `archives beside a link swapper: ${rounds} generated and ${rounds} good ones, ${swaps} swaps; ${outcomes.taken} taken, ${outcomes.refused} refused, bytes changed outside of the target: ${outside}, seed ${seed}`,
  );
  expect(outside).toBe(0);
  expect(swaps).toBeGreaterThan(rounds);
  expect(outcomes.refused).toBeGreaterThan(0);
  expect([...outcomes.failed.keys()]).toEqual([]);
});

function sampleTree(root: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), `content of ${name}`);
  }
}

const sample = ['svc-app.json', 'backend/main.py', 'a/b', 'a-b', 'a.b', 'é/ü', `long/${'n'.repeat(150)}/${'m'.repeat(150)}`, 'empty'];

test('the same tree gives the same tarball, in another folder, made in another order, with other times and masks', async () => {
  const [one, two] = [join(base, 'one'), join(base, 'two/deeper')];
  sampleTree(one, sample);
  sampleTree(two, sample.toReversed());
  chmodSync(join(two, 'a/b'), 0o600);
  utimesSync(join(two, 'a-b'), 1, 1);
  const first = await packFolder(one, { root: 's-1', out: join(base, '1.tgz') });
  const second = await packFolder(two, { root: 's-1', out: join(base, '2.tgz') });
  expect(readFileSync(join(base, '1.tgz')).equals(readFileSync(join(base, '2.tgz')))).toBe(true);
  expect(second.sha256).toBe(first.sha256);
  expect(first.sha256).toBe(
    createHash('sha256')
      .update(readFileSync(join(base, '1.tgz')))
      .digest('hex'),
  );
  chmodSync(join(two, 'a/b'), 0o700);
  expect((await packFolder(two, { root: 's-1', out: join(base, '3.tgz') })).sha256).not.toBe(first.sha256);
});

test('what is packed comes out the same, from us and from GNU tar', async () => {
  const [source, ours, theirs, again] = ['source', 'ours', 'theirs', 'again'].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  sampleTree(source, sample);
  mkdirSync(join(source, 'nothing'));
  chmodSync(join(source, 'backend/main.py'), 0o755);
  await packFolder(source, { root: 's-1', out: join(base, 's.tgz') });
  await extractArchive(join(base, 's.tgz'), ours, { limits: packageArchive, root: 's-1', durable: true });
  mkdirSync(theirs);
  execFileSync('tar', ['-xzf', join(base, 's.tgz'), '--strip-components=1', '-C', theirs]);
  expect(digest(ours)).toBe(digest(source));
  expect(digest(theirs)).toBe(digest(source));
  rmSync(join(source, 'long'), { recursive: true });
  for (const format of ['ustar', 'pax', 'gnu']) {
    execFileSync('tar', ['-czf', join(base, `${format}.tgz`), `--format=${format}`, '-C', base, 'source']);
    await extractArchive(join(base, `${format}.tgz`), again, { limits: engineArchive });
    expect(digest(again)).toBe(digest(source));
    removeTree(again);
  }
});

test.for([
  ['a link', (root: string) => symlinkSync('/etc/passwd', join(root, 'l')), 'LINK'],
  ['a pipe', (root: string) => execFileSync('mkfifo', [join(root, 'p')]), 'DEVICE'],
  ['a name that is not NFC', (root: string) => writeFileSync(join(root, 'cafe\u0301'), ''), 'NOT_NFC'],
  ['a name that is no UTF-8', (root: string) => writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), ''), 'NAME'],
  ['a newline in a name', (root: string) => writeFileSync(join(root, 'a\nb'), ''), 'NAME'],
] as const)('%s is not packed, and no tarball stays', async ([, plant, rule]) => {
  sampleTree(join(base, 'tree'), ['x']);
  plant(join(base, 'tree'));
  const out = join(base, 'out.tgz');
  await expect(packFolder(join(base, 'tree'), { root: 's-1', out })).rejects.toMatchObject({ details: { rule } });
  expect(existsSync(out)).toBe(false);
});

test('a tarball that exists is not overwritten', async () => {
  sampleTree(join(base, 'tree'), ['x']);
  writeFileSync(join(base, 'out.tgz'), 'mine');
  await expect(packFolder(join(base, 'tree'), { root: 's-1', out: join(base, 'out.tgz') })).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(join(base, 'out.tgz'), 'utf8')).toBe('mine');
});

test.runIf(isLong)('200 MB: memory does not grow with the size, and the time is that of tar and sha256sum', async () => {
  const extract = (name: string): { ms: number; peakKib: number; bytes: number } => {
    const program = join(import.meta.dirname, 'testing/extract-once.ts');
    const out = execFileSync(process.execPath, [program, join(base, `${name}.tgz`), join(base, `${name}-out`)], { encoding: 'utf8' });
    return JSON.parse(out) as { ms: number; peakKib: number; bytes: number };
  };
  const make = (name: string, megabytes: number): void => {
    mkdirSync(join(base, name));
    // Half of it compresses, as programs do.
    for (let at = 0; at < megabytes; at += 10) {
      const noise = randomBytes(5 * 1_024 * 1_024);
      writeFileSync(join(base, name, String(at)), Buffer.concat([noise, Buffer.alloc(5 * 1_024 * 1_024, noise.subarray(0, 997))]));
    }
    execFileSync('tar', ['-czf', join(base, `${name}.tgz`), '-C', base, name]);
  };
  // Past the point where the collector has its rhythm.
  make('small', 70);
  make('large', 200);
  const [small, large] = [extract('small'), extract('large')];
  expect(large.bytes).toBe(200 * 1_024 * 1_024);
  expect(digest(join(base, 'large-out'))).toBe(digest(join(base, 'large')));
  mkdirSync(join(base, 'theirs'));
  const startedMs = performance.now();
  execFileSync('tar', ['-xzf', join(base, 'large.tgz'), '-C', join(base, 'theirs')]);
  execFileSync('sha256sum', [join(base, 'large.tgz')]);
  const theirsMs = performance.now() - startedMs;
  console.log(
    `200 MB: ${large.ms.toFixed(0)} ms, peak ${large.peakKib} KiB (70 MB: ${small.peakKib} KiB); tar + sha256sum ${theirsMs.toFixed(0)} ms`,
  );
  expect(large.peakKib - small.peakKib).toBeLessThan(48 * 1_024);
  expect(large.peakKib).toBeLessThan(192 * 1_024);
});
