/** Archives of every form with fields that lie, unpacked into memory: each is taken or refused by its code, within its bounds, and nothing is made through a link. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pax, rawEntry, tarEnd, type RawEntry } from '../../../kit/archive/testing/raw-tar.ts';
import { SvcError } from '../../../schema/errors.ts';
import { createRandom, type Random } from '../../../test/simulation/random.ts';
import { FileFault } from '../file-fault.ts';
import { limits } from '../limits.ts';
import { memoryFiles } from '../testing/memory-file-system.ts';
import { rawZip, type RawZipEntry } from '../testing/raw-zip.ts';
import { unpackTo } from './unpack.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';
const archives = isLong ? 100_000 : 700;
const seed = Number(process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const parts = ['a', 'b', 'c', '..', '.', '', 'porta', 'é', '\0', 'n'.repeat(120), '\\', '/'];
const wild = [0, 1, -1, 255, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 33];
const sizes = ['NaN', '-5', '0', '1e9', '9007199254740993', '18446744073709551616', '', ' 7', '3', '0x7', '9'.repeat(400)];
const keys = ['path', 'path', 'linkpath', 'size', 'size', 'mtime', 'comment', 'GNU.sparse.map', 'hdrcharset', '', 'k'.repeat(9_000)];

const nameOf = ({ int, pick, chance }: Random): string =>
  `${chance(0.8) ? 'x/' : ''}${Array.from({ length: int(1, 4) }, () => (chance(0.8) ? pick(['a', 'b', 'c', 'porta']) : pick(parts))).join('/')}`;
const dataOf = ({ int, chance, pick }: Random): Buffer => Buffer.alloc(chance(0.02) ? 300_000 : int(0, 1_500), pick(['', 'x', '\n', '\0']));

function tarPart(random: Random): RawEntry | Buffer {
  const { chance, pick, int } = random;
  if (chance(0.12)) return pax({ [pick(keys)]: chance(0.5) ? pick(sizes) : nameOf(random) }, pick(['x', 'x', 'x', 'g', 'L', 'K']));
  if (chance(0.04))
    return rawEntry({ name: '././@LongLink', type: pick(['L', 'K', 'g', 'x']), data: `${nameOf(random).repeat(int(1, 300))}\0` });
  if (chance(0.02)) return Buffer.alloc(512 * int(1, 3), pick(['\0', 'z']));
  return {
    name: nameOf(random),
    data: dataOf(random),
    type: chance(0.7) ? pick(['0', '0', '\0', '5', '7']) : pick(['1', '2', '3', '4', '6', 'L', 'K', 'S', 'M', 'V', 'D', 'g', 'x', 'A']),
    link: chance(0.2) ? pick(['a', '../a', '/etc/passwd', '../../x', 'x/a', 'porta/../../a']) : '',
    magic: pick(['ustar\u000000', 'ustar\u000000', 'ustar  \0', '\0\0\0\0\0\0\0\0']),
    ...(chance(0.1)
      ? {
          size: chance(0.5)
            ? Math.max(0, pick(wild))
            : Buffer.from([pick([0x80, 0xff, 0x81]), ...Array.from({ length: 11 }, () => int(0, 255))]),
        }
      : {}),
    ...(chance(0.03) ? { checksumOff: int(-300, 300) } : {}),
    ...(chance(0.1) ? { patch: [{ at: int(0, 500), bytes: Buffer.from([int(0, 255)]) }] } : {}),
  };
}

function zipPart(random: Random): RawZipEntry {
  const { chance, pick, int } = random;
  const lie = (): number | undefined => (chance(0.08) ? pick(wild) : undefined);
  const name = chance(0.02) ? 'n/'.repeat(int(1, 20_000)) : nameOf(random);
  const isLink = chance(0.1);
  const lies = { method: chance(0.04) ? int(0, 99) : undefined, crc: lie(), packed: lie(), bytes: lie(), offset: lie() };
  const known = Object.fromEntries(Object.entries(lies).filter(([, value]) => value !== undefined));
  return {
    name: Buffer.from(chance(0.15) && !isLink ? `${name}/` : name),
    data: isLink ? Buffer.from(pick(['a', '../../a', '/etc'])) : dataOf(random),
    isDeflated: chance(0.6),
    mode: isLink ? 0o120_777 : pick([0o100_644, 0o104_755, 0, 0o060_000]),
    extra: chance(0.15) ? Buffer.from(Array.from({ length: int(0, 60) }, () => pick([0, 1, 4, 0x75, 0x70, 255]))) : Buffer.alloc(0),
    flags: chance(0.05) ? int(0, 0xffff) : 0x800,
    lies: known,
  };
}

function archiveOf(random: Random): { readonly name: string; readonly bytes: Buffer } {
  const { chance, pick, int } = random;
  const count = int(1, 8);
  let name = 'a.zip';
  let bytes: Uint8Array = Buffer.alloc(0);
  if (chance(0.4)) {
    const end = chance(0.1) ? { count: pick([0, 1, 200, 65_535]), listAt: pick([0, 5, 2 ** 32 - 1]) } : {};
    bytes = rawZip(
      Array.from({ length: count }, () => zipPart(random)),
      end,
    );
  } else {
    const all = Array.from({ length: count }, () => tarPart(random)).map((one) => (Buffer.isBuffer(one) ? one : rawEntry(one)));
    const tar = Buffer.concat([...all, ...(chance(0.9) ? [tarEnd] : [])]);
    [name, bytes] = pick([
      ['a.tar', tar],
      ['a.tar.gz', gzipSync(tar)],
      ['a.tar.zst', zstdCompressSync(tar)],
      ['a.gz', gzipSync(tar)],
    ] as const);
  }
  if (chance(0.1)) bytes = bytes.subarray(0, int(0, bytes.length));
  if (chance(0.1) && bytes.length > 0) bytes[int(0, bytes.length - 1)] = int(0, 255);
  return { name, bytes: Buffer.from(bytes) };
}

/** `taken`, or how it was refused. */
async function outcomeOf(name: string, bytes: Buffer): Promise<string> {
  const { fs, made, written } = memoryFiles(name, bytes);
  const progress = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };
  const outcome = await unpackTo(fs, Buffer.from(`/${name}`), Buffer.from('/'), { progress, leftOut: () => undefined }).then(
    () => 'taken',
    (error: unknown) =>
      error instanceof SvcError ? error.code : error instanceof FileFault ? error.errno : String((error as Error).stack),
  );
  const left = [...made.keys()].filter((path) => path !== '/' && path !== `/${name}`);
  if (outcome !== 'taken' && left.length > 0) return `${outcome}, and it left ${left.join(' ')}`;
  return written() > Math.max(limits.unpackFreeBytes, bytes.length * limits.unpackRatioMax) ? 'more than it may become' : outcome;
}

test(`${archives} archives that lie: none is an error of ours, none leaves a part`, { timeout: isLong ? 3_600_000 : 60_000 }, async () => {
  const outcomes = new Map<string, number>();
  const said = new Map<string, number>();
  for (let n = 0; n < archives; n += 1) {
    const { name, bytes } = archiveOf(createRandom(seed + n));
    const outcome = await outcomeOf(name, bytes);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (!said.has(outcome)) said.set(outcome, seed + n);
  }
  const known = ['taken', 'UNPACK_REFUSED', 'UNPACK_UNSUPPORTED'];
  expect([...said].filter(([outcome]) => !known.includes(outcome))).toEqual([]);
  // Each of them often enough for the others to mean something.
  expect(known.map((outcome) => (outcomes.get(outcome) ?? 0) > archives / 100)).toEqual([true, true, true]);
});
