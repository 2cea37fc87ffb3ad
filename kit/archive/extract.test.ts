/** Archives of the advisories: each is refused for its own reason and leaves nothing. */
import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { checkArchive, extractArchive } from './extract.ts';
import { removeTree } from './folder-writer.ts';
import { writeHeader } from './header.ts';
import { packageArchive } from './rules.ts';
import { inPieces, pax, type RawEntry, rawEntry, tarball, tarEnd } from './testing/raw-tar.ts';
import { inside, outside, placeWithCanaries } from './testing/trees.ts';

let base: string;
let target: string;
beforeAll(() => ({ base, target } = placeWithCanaries()));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The rule that refused it, or `taken`. A refusal that leaves something, or a change outside, is reported as well. */
async function verdict(bytes: Buffer, pieces?: number): Promise<string> {
  const before = outside(base, target);
  const outcome = await extractArchive(inPieces(bytes, pieces), target, { limits: packageArchive }).then(
    () => 'taken',
    (error: unknown) => (error instanceof SvcError ? String(error.details['rule']) : String(error)),
  );
  const left = outcome !== 'taken' && existsSync(target) ? ', but something was left' : '';
  return `${outcome}${left}${outside(base, target) === before ? '' : ', but something outside changed'}`;
}

const root: RawEntry = { name: 'a-1/', type: '5', mode: '0000755' };
const good: RawEntry = { name: 'a-1/x', data: 'hello' };
const base256 = (first: number, last: number): Buffer => Buffer.from([first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);

test('a plain archive comes out with its bytes and modes', async () => {
  const run: RawEntry = { name: 'a-1/bin/run', data: '#!', mode: '0000775' };
  expect(await verdict(tarball(root, good, { name: 'a-1/bin/', type: '5' }, run, { name: 'a-1/empty' }))).toBe('taken');
  expect(inside(target)).toEqual({ x: 'hello', 'bin/': '', 'bin/run': '#!', empty: '' });
  expect(lstatSync(target).mode & 0o7777).toBe(0o700);
  expect(lstatSync(join(target, 'bin/run')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(join(target, 'bin')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(join(target, 'x')).mode & 0o7777).toBe(0o644);
  removeTree(target);
});

const deep = `${'d'.repeat(94)}/`;
test.for<[string, readonly (RawEntry | Buffer)[]]>([
  ['as packed here', [writeHeader({ name: `a-1/${deep}xy`, bytes: 0, executable: false })]],
  ["as another's tar wrote it", [pax({ path: `a-1/${deep}xy` }), { name: `a-1/${deep}` }]],
])('a long path is taken also where its first 99 bytes end with a slash, %s', async ([, entries]) => {
  expect(await verdict(tarball(root, { name: `a-1/${deep}`, type: '5' }, ...entries))).toBe('taken');
  expect(inside(target)).toEqual({ [deep]: '', [`${deep}xy`]: '' });
  removeTree(target);
});

const rest = rawEntry(good);
test.for<readonly [string, string, readonly (RawEntry | Buffer)[]]>([
  ['a symbolic link', 'LINK', [root, { name: 'a-1/l', type: '2', link: '/etc' }]],
  ['a link, then a file through it', 'LINK', [root, { name: 'a-1/l', type: '2', link: '../../canary' }, { name: 'a-1/l/file', data: 'x' }]],
  ['a hard link', 'LINK', [root, good, { name: 'a-1/l', type: '1', link: '../../canary/file' }]],
  ['a file with a link target', 'LINK', [root, { name: 'a-1/l', link: '/etc/passwd' }]],
  ['a folder with a link target', 'LINK', [root, { name: 'a-1/l/', type: '5', link: '/etc' }]],
  ['a character device', 'DEVICE', [root, { name: 'a-1/d', type: '3' }]],
  ['a block device', 'DEVICE', [root, { name: 'a-1/d', type: '4' }]],
  ['a pipe', 'DEVICE', [root, { name: 'a-1/d', type: '6' }]],
  ['a contiguous file', 'TYPE', [root, { name: 'a-1/d', type: '7' }]],
  ['an unknown type', 'TYPE', [root, { name: 'a-1/d', type: 'Z' }]],
  ['an absolute path', 'ABSOLUTE', [{ name: '/a-1/x', data: 'x' }]],
  ['an absolute path in the prefix', 'ABSOLUTE', [{ name: 'x', prefix: '/a-1', data: 'x' }]],
  ['only slashes', 'ABSOLUTE', [{ name: '//', type: '5' }]],
  ['..', 'DOT_SEGMENT', [root, { name: 'a-1/../../canary/file', data: 'x' }]],
  ['.. as the root', 'DOT_SEGMENT', [{ name: '../canary/file', data: 'x' }]],
  ['.. through the prefix', 'DOT_SEGMENT', [root, { name: '../canary/file', prefix: 'a-1/..', data: 'x' }]],
  ['.. as a folder', 'DOT_SEGMENT', [root, { name: 'a-1/../', type: '5' }]],
  ['. as the root', 'DOT_SEGMENT', [{ name: './', type: '5' }]],
  ['a drive and backslashes', 'NAME', [root, { name: 'a-1/c:\\..\\x' }]],
  ['two slashes', 'NAME', [root, { name: 'a-1//x' }]],
  ['a newline', 'NAME', [root, { name: 'a-1/x\ny' }]],
  ['an escape', 'NAME', [root, { name: 'a-1/\u001b[2J' }]],
  ['text turned around', 'NAME', [root, { name: 'a-1/\u202etxt.exe' }]],
  ['bytes that are no UTF-8', 'NAME', [root, { name: Buffer.from([0x61, 0x2d, 0x31, 0x2f, 0xff, 0xfe]) }]],
  ['overlong UTF-8 of ..', 'NAME', [root, { name: Buffer.from([0x61, 0x2d, 0x31, 0x2f, 0xc0, 0xae, 0xc0, 0xae]) }]],
  ['no NFC', 'NOT_NFC', [root, { name: 'a-1/cafe\u0301' }]],
  ['an empty name', 'NAME', [{ name: '', data: 'x' }]],
  ['a name after a NUL', 'HEADER', [root, { name: Buffer.from('a-1/x\0../../canary/file') }]],
  ['a GNU long name', 'LONG_NAME', [root, { name: '././@LongLink', type: 'L', data: 'a-1/../../canary/file' }, good]],
  ['a GNU long link', 'LONG_NAME', [root, { name: '././@LongLink', type: 'K', data: '/etc' }, good]],
  ['an old GNU sparse file', 'SPARSE', [root, { name: 'a-1/s', type: 'S' }]],
  ['a GNU header with other fields', 'SPARSE', [root, { name: 'a-1/s', magic: 'ustar  \0', prefix: 'x' }]],
  ['a pax sparse file', 'PAX', [root, pax({ 'GNU.sparse.major': '1', 'GNU.sparse.realsize': '99999999999' }), good]],
  ['a pax path that leaves', 'DOT_SEGMENT', [root, pax({ path: 'a-1/../../canary/file' }), good]],
  ['a pax path with a NUL', 'NAME', [root, pax({ path: 'a-1/x\0y' }), good]],
  ['a pax path that makes a folder of a file', 'TYPE', [root, pax({ path: 'a-1/x/' }), good]],
  ['an empty pax path', 'PAX', [root, pax({ path: '' }), good]],
  ['a pax size', 'PAX', [root, pax({ size: '0' }), good]],
  ['a pax linkpath', 'PAX', [root, pax({ linkpath: '/etc' }), good]],
  ['a pax charset', 'PAX', [root, pax({ hdrcharset: 'BINARY' }), good]],
  ['two pax headers', 'PAX', [root, pax({ path: 'a-1/y' }), pax({ path: 'a-1/z' }), good]],
  ['a pax key twice', 'PAX', [root, rawEntry({ name: 'p', type: 'x', data: '12 path=a-1\n12 path=a-2\n' }), good]],
  ['a pax record longer than it is', 'PAX', [root, rawEntry({ name: 'p', type: 'x', data: '99 path=a-1\n' }), good]],
  ['a pax record of no length', 'PAX', [root, rawEntry({ name: 'p', type: 'x', data: 'path=a-1\n' }), good]],
  ['a pax header at the end', 'PAX', [root, good, pax({ path: 'a-1/y' })]],
  ['a huge pax header', 'PAX', [root, pax({ comment: 'x'.repeat(9_000) }), good]],
  ['a global pax header', 'PAX', [pax({ path: 'a-1/y' }, 'g'), root, good]],
  ['a name twice', 'DUPLICATE', [root, good, good]],
  ['a folder twice', 'DUPLICATE', [root, { name: 'a-1/b/', type: '5' }, { name: 'a-1/b/', type: '5' }]],
  ['the root twice', 'DUPLICATE', [root, root, good]],
  ['a file, then a folder of its name', 'DUPLICATE', [root, good, { name: 'a-1/x/', type: '5' }]],
  ['a folder, then a file of its name', 'DUPLICATE', [root, { name: 'a-1/b/', type: '5' }, { name: 'a-1/b', data: 'x' }]],
  ['something below a file', 'NOT_A_FOLDER', [root, good, { name: 'a-1/x/y', data: 'x' }]],
  ['a second root', 'ROOT', [root, good, { name: 'b-1/x', data: 'x' }]],
  ['a root that only begins alike', 'ROOT', [root, good, { name: 'a-10/x', data: 'x' }]],
  ['a file instead of the root', 'ROOT', [{ name: 'a-1', data: 'x' }]],
  ['only the root', 'EMPTY', [root]],
  ['nothing', 'EMPTY', []],
  ['a file whose name is a folder', 'TYPE', [root, { name: 'a-1/x/', data: 'x' }]],
  ['a folder with a size', 'NUMBER', [root, { name: 'a-1/b/', type: '5', size: 512 }]],
  ['a negative base-256 size', 'NUMBER', [root, { name: 'a-1/n', size: Buffer.alloc(12, 0xff) }]],
  ['a huge base-256 size', 'NUMBER', [root, { name: 'a-1/n', size: base256(0x80, 5) }]],
  ['a signed size', 'NUMBER', [root, { name: 'a-1/n', size: Buffer.from('-0000000001\0') }]],
  ['an empty size', 'NUMBER', [root, { name: 'a-1/n', size: Buffer.alloc(12) }]],
  ['a hexadecimal size', 'NUMBER', [root, { name: 'a-1/n', size: Buffer.from('0x000000010\0') }]],
  ['two numbers in a size', 'NUMBER', [root, { name: 'a-1/n', size: Buffer.from('5 000000000\0') }]],
  ['a base-256 mode', 'NUMBER', [root, { name: 'a-1/n', mode: '\u0080000001' }]],
  ['a huge octal size', 'BYTES', [root, { name: 'a-1/n', size: 0o77777777777 }]],
  ['a size beyond the archive', 'TRUNCATED', [root, { name: 'a-1/n', data: 'abc', size: 4_096 }]],
  ['a size below the data', 'HEADER', [root, { name: 'a-1/n', data: 'abc', size: 2 }]],
  ['a set-user-id file', 'SET_ID', [root, { ...good, mode: '0004755' }]],
  ['a wrong checksum', 'CHECKSUM', [root, { ...good, checksumOff: 1 }]],
  ['no magic', 'HEADER', [root, { ...good, magic: '\0\0\0\0\0\0\0\0' }]],
  ['half a magic', 'HEADER', [root, { ...good, magic: 'ustar\u000001' }]],
  ['a lone empty block', 'HEADER', [root, Buffer.alloc(512), rest]],
  ['entries behind the end', 'TRAILING', [root, good, tarEnd, rest]],
  ['too many zeros behind the end', 'TRAILING', [root, good, Buffer.alloc(2 * 1_024 * 1_024)]],
  ['half a block at the end', 'TRUNCATED', [root, good, tarEnd, Buffer.alloc(100)]],
  ['33 folders deep', 'DEPTH', [root, { name: `a-1/${'d/'.repeat(32)}x`, data: 'x' }]],
  ['a long name', 'LENGTH', [root, pax({ path: `a-1/${'x'.repeat(256)}` }), good]],
  ['a long path', 'LENGTH', [root, pax({ path: `a-1/${'123456789/'.repeat(110)}x` }), good]],
])('refused: %s', async ([, rule, parts]) => {
  expect(await verdict(tarball(...parts))).toBe(rule);
});

const whole = tarball(root, good);
const plainTar = Buffer.concat([rawEntry(root), rest, tarEnd]);
test.for<readonly [string, string, Buffer]>([
  ['an empty file', 'TRUNCATED', Buffer.alloc(0)],
  ['no gzip', 'GZIP', plainTar],
  ['half a header', 'TRUNCATED', whole.subarray(0, 6)],
  ['a gzip with extra fields', 'GZIP', Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 4]), whole.subarray(4)])],
  ['a gzip with an endless name', 'GZIP', Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8]), Buffer.alloc(4_096, 0x61)])],
  ['half a gzip', 'TRUNCATED', whole.subarray(0, whole.length - 40)],
  ['a gzip without checksum', 'TRUNCATED', whole.subarray(0, -8)],
  ['a gzip with half a checksum', 'TRUNCATED', whole.subarray(0, -3)],
  ['a wrong checksum', 'CORRUPT', Buffer.concat([whole.subarray(0, -8), Buffer.alloc(4), whole.subarray(-4)])],
  ['a wrong length', 'CORRUPT', Buffer.concat([whole.subarray(0, -4), Buffer.alloc(4)])],
  ['damaged deflate', 'CORRUPT', Buffer.concat([whole.subarray(0, 10), Buffer.alloc(60, 0xff), whole.subarray(70)])],
  ['a second member', 'TRAILING', Buffer.concat([whole, whole])],
  ['a second, empty member', 'TRAILING', Buffer.concat([whole, gzipSync(Buffer.alloc(0))])],
  ['one zero behind it', 'TRAILING', Buffer.concat([whole, Buffer.alloc(1)])],
  ['garbage behind it', 'TRAILING', Buffer.concat([whole, Buffer.from('garbage')])],
  ['a gzip in a gzip', 'NUMBER', gzipSync(Buffer.concat([whole, Buffer.alloc(512)]))],
  ['a tar that ends within a header', 'TRUNCATED', gzipSync(plainTar.subarray(0, 700))],
  ['a tar that ends within a file', 'TRUNCATED', gzipSync(plainTar.subarray(0, 1_027))],
  ['a tar without its end', 'TRUNCATED', gzipSync(plainTar.subarray(0, 1_536))],
  ['a tar with half its end', 'TRUNCATED', gzipSync(plainTar.subarray(0, 2_048))],
  ['zeros for ever', 'RATIO', tarball(root, { name: 'a-1/zeros', data: Buffer.alloc(17 * 1_024 * 1_024) })],
])('refused: %s', { timeout: 60_000 }, async ([, rule, bytes]) => {
  expect(await verdict(bytes)).toBe(rule);
  // However it arrives.
  expect(await verdict(bytes, bytes.length < 4_096 ? 1 : 1_000)).toBe(rule);
});

test('more entries than the limit are refused before the disk is full of them', async () => {
  const entries = Array.from({ length: 60 }, (_, at) => ({ name: `a-1/${at}`, data: '' }));
  const limits = { ...packageArchive, entriesMax: 50 };
  await expect(extractArchive(inPieces(tarball(root, ...entries)), target, { limits })).rejects.toMatchObject({
    details: { rule: 'ENTRIES' },
  });
  await expect(checkArchive(inPieces(tarball(root, ...entries.slice(0, 50))), { limits })).resolves.toMatchObject({ entries: 50 });
  expect(existsSync(target)).toBe(false);
});

test('a tarball larger than the limit is refused while it comes', async () => {
  const limits = { ...packageArchive, tarballBytesMax: 20 };
  await expect(extractArchive(inPieces(whole, 8), target, { limits })).rejects.toMatchObject({ details: { rule: 'BYTES' } });
});

test('a target that exists is neither written to nor removed', async () => {
  await expect(extractArchive(inPieces(whole), join(base, 'canary'), { limits: packageArchive })).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(join(base, 'canary/file'), 'utf8')).toBe('untouched');
});

test('a source that breaks off leaves nothing', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield whole.subarray(0, 30);
    throw new Error('the network is gone');
  }
  await expect(extractArchive(broken(), target, { limits: packageArchive })).rejects.toThrow('the network is gone');
  expect(existsSync(target)).toBe(false);
});

test('the name of the root folder can be demanded', async () => {
  await expect(checkArchive(inPieces(whole), { limits: packageArchive, root: 'a-2' })).rejects.toMatchObject({ details: { rule: 'ROOT' } });
  await expect(checkArchive(inPieces(whole), { limits: packageArchive, root: 'a-1' })).resolves.toEqual({
    entries: 1,
    bytes: 5,
    root: 'a-1',
  });
});

test('a refusal does not repeat control characters of a name', async () => {
  const bytes = tarball(root, { name: 'a-1/\u001b]0;owned\u0007\u202e' });
  const error = await checkArchive(inPieces(bytes), { limits: packageArchive }).catch((caught: Error) => caught);
  expect((error as Error).message).toMatch(/^[^\u0000-\u001f\u202e]*$/);
});
