/** Contract of every FileSystem, on real files: as root's neighbour, over a real sshd, by a process that became an account. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isFault } from '../file-fault.ts';
import { joined, type FileEntry, type FileSystem } from '../file-system.ts';
import { createWriter, readAll, readRange } from '../transfer.ts';

export interface FilesUnderTest {
  readonly fs: FileSystem;
  /** An empty folder of the account's own. */
  readonly folder: Buffer;
  /** A path in it as the account's shell would write it. */
  readonly path: (name: string | Buffer) => Buffer;
  /** The kernel refuses it nothing. */
  readonly isRoot: boolean;
}

const errnoOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    if (isFault(error)) return (error as { errno: string }).errno;
    throw error;
  }
  return 'none';
};

export async function put(fs: FileSystem, path: Buffer, bytes: Uint8Array): Promise<void> {
  const file = await fs.open(path, 'create', 0o644);
  await file.write(0, [bytes]);
  await file.close();
}

export async function contentOf(fs: FileSystem, path: Buffer): Promise<Buffer> {
  const file = await fs.open(path, 'read');
  try {
    return await readAll(file, 64 * 1_024 * 1_024, fs.pieceBytes());
  } finally {
    await file.close();
  }
}

async function namesOf(fs: FileSystem, folder: Buffer): Promise<readonly FileEntry[]> {
  const found: FileEntry[] = [];
  for await (const entries of fs.list(folder)) found.push(...entries);
  return found;
}

function testNames(name: string, under: () => FilesUnderTest): void {
  test(`${name}: names come back as they are, whatever bytes they have`, async () => {
    const { fs, path } = under();
    const folder = path('nomes');
    await fs.makeFolder(folder, 0o755);
    const names = [
      Buffer.from('ação.txt'),
      Buffer.from('a\nb'),
      Buffer.from([0xff, 0xfe, 0x2e, 0x80]),
      Buffer.from('100%'),
      Buffer.from(' '),
      Buffer.from('a\u0301'),
      Buffer.alloc(255, 'n'),
      Buffer.from('-rf *;$(id)'),
    ];
    for (const each of names) await put(fs, joined(folder, each), each);
    const found = await namesOf(fs, folder);
    expect(found.map(({ name: each }) => each.toString('hex')).toSorted()).toEqual(names.map((each) => each.toString('hex')).toSorted());
    for (const each of names) expect((await contentOf(fs, joined(folder, each))).equals(each)).toBe(true);
    expect((await fs.realpath(joined(folder, names[2] as Buffer))).subarray(-4).toString('hex')).toBe('fffe2e80');
  });
}

function testBytes(name: string, under: () => FilesUnderTest): void {
  test(`${name}: bytes go in and come out, in ranges and many pieces, with what is read and written at any place`, async () => {
    const { fs, path } = under();
    const bytes = randomBytes(5 * 1_024 * 1_024 + 17);
    const file = await fs.open(path('grande'), 'create');
    const writer = createWriter(file, 0, fs.pieceBytes());
    for (let at = 0; at < bytes.length; at += 100_003) await writer.put(bytes.subarray(at, at + 100_003));
    await writer.flush();
    await file.sync();
    expect((await file.facts()).bytes).toBe(bytes.length);
    await file.close();
    expect((await contentOf(fs, path('grande'))).equals(bytes)).toBe(true);
    const again = await fs.open(path('grande'), 'read');
    const part: Uint8Array[] = [];
    for await (const piece of readRange(again, 1_000_001, 3_000_000, fs.pieceBytes())) part.push(piece);
    expect(Buffer.concat(part).equals(bytes.subarray(1_000_001, 3_000_001))).toBe(true);
    await again.close();
    const over = await fs.open(path('grande'), 'write');
    await over.write(3, [Buffer.from('a'), Buffer.from('bc')]);
    await over.close();
    expect(
      (await contentOf(fs, path('grande')))
        .subarray(0, 8)
        .equals(Buffer.concat([bytes.subarray(0, 3), Buffer.from('abc'), bytes.subarray(6, 8)])),
    ).toBe(true);
  });
}

function testFaults(name: string, under: () => FilesUnderTest): void {
  test(`${name}: what can't be done says why, and changes nothing`, async () => {
    const { fs, path, isRoot } = under();
    await put(fs, path('um'), Buffer.from('1'));
    await fs.makeFolder(path('cheia'), 0o755);
    await put(fs, path('cheia/x'), Buffer.from('x'));
    await fs.symlink(Buffer.from('nada'), path('quebrado'));
    await fs.symlink(Buffer.from('roda'), path('roda'));
    expect(await errnoOf(fs.stat(path('nao-ha')))).toBe('ENOENT');
    expect(await errnoOf(fs.stat(path('um/x')))).toMatch(/ENOTDIR|ENOENT/);
    expect(await errnoOf(fs.open(path('nao-ha'), 'read'))).toBe('ENOENT');
    expect(await errnoOf(fs.open(path('um'), 'create'))).toBe('EEXIST');
    expect(await errnoOf(fs.open(path('cheia'), 'read'))).toBe('EISDIR');
    expect(await errnoOf(fs.open(path('quebrado'), 'create'))).toBe('EEXIST');
    expect(await errnoOf(fs.makeFolder(path('um'), 0o755))).toBe('EEXIST');
    expect(await errnoOf(fs.removeFolder(path('cheia')))).toBe('ENOTEMPTY');
    expect(await errnoOf(fs.removeFolder(path('um')))).toMatch(/ENOTDIR|ENOENT/);
    expect(await errnoOf(fs.removeFile(path('cheia')))).toBe('EISDIR');
    expect(await errnoOf(fs.link(path('um'), path('cheia/x')))).toBe('EEXIST');
    expect(await errnoOf(fs.rename(path('nao-ha'), path('x')))).toBe('ENOENT');
    expect(await errnoOf(namesOf(fs, path('um')))).toBe('ENOTDIR');
    expect(await errnoOf(namesOf(fs, path('nao-ha')))).toBe('ENOENT');
    expect(await errnoOf(fs.stat(path('roda')))).toMatch(/ELOOP|ENOENT/);
    // The kernel refuses root nothing.
    expect(await errnoOf(fs.open(Buffer.from('/etc/shadow'), 'read').then((file) => file.close()))).toBe(isRoot ? 'none' : 'EACCES');
    expect(await errnoOf(fs.makeFolder(path('dele'), 0o700))).toBe('none');
    expect(await errnoOf(fs.stat(path(Buffer.alloc(256, 'n'))))).toMatch(/ENAMETOOLONG|EINVAL/);
    expect((await contentOf(fs, path('um'))).toString()).toBe('1');
  });
}

function testLinks(name: string, under: () => FilesUnderTest): void {
  test(`${name}: links, modes, times, renames and space are the kernel's`, async () => {
    const { fs, path } = under();
    await put(fs, path('a'), Buffer.from('aaa'));
    await fs.setMode(path('a'), 0o640);
    await fs.setModified(path('a'), 1_600_000_000_000);
    expect(await fs.stat(path('a'))).toMatchObject({ kind: 'file', bytes: 3, mode: 0o640, modifiedMs: 1_600_000_000_000 });
    await fs.symlink(path('a'), path('l'));
    expect((await fs.lstat(path('l'))).kind).toBe('link');
    expect((await fs.stat(path('l'))).kind).toBe('file');
    expect((await fs.readLink(path('l'))).equals(path('a'))).toBe(true);
    expect((await fs.realpath(path('l'))).equals(path('a'))).toBe(true);
    await fs.link(path('a'), path('b'));
    await put(fs, path('c'), Buffer.from('ccc'));
    await fs.rename(path('c'), path('b'));
    expect((await contentOf(fs, path('b'))).toString()).toBe('ccc');
    expect((await contentOf(fs, path('a'))).toString()).toBe('aaa');
    await fs.makeFolder(path('p1'), 0o755);
    await fs.makeFolder(path('p2'), 0o755);
    await put(fs, path('p1/x'), Buffer.from('x'));
    await fs.rename(path('p1'), path('p2'));
    expect((await contentOf(fs, path('p2/x'))).toString()).toBe('x');
    await fs.syncFolder(path('p2'));
    const { totalBytes, freeBytes, device } = await fs.space(path('p2'));
    expect(totalBytes).toBeGreaterThan(freeBytes);
    expect(device).not.toBe((await fs.space(Buffer.from('/proc'))).device);
  });
}

function testLists(name: string, under: () => FilesUnderTest): void {
  test(`${name}: a thousand names are listed, a folder that is read half-way is let go`, async () => {
    const { fs, path } = under();
    await fs.makeFolder(path('mil'), 0o755);
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => fs.makeFolder(path(`mil/${n}`), 0o755)));
    expect(await namesOf(fs, path('mil'))).toHaveLength(1_000);
    for await (const entries of fs.list(path('mil'))) {
      expect(entries.length).toBeGreaterThan(0);
      break;
    }
    expect(await namesOf(fs, path('mil'))).toHaveLength(1_000);
  });
}

export function testFileSystem(name: string, under: () => FilesUnderTest): void {
  testNames(name, under);
  testBytes(name, under);
  testFaults(name, under);
  testLinks(name, under);
  testLists(name, under);
}
