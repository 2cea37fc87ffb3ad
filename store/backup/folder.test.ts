import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nameOf, pathOf } from './chunks.ts';
import { openBackupFolder, type BackupFolder } from './folder.ts';
import type { Manifest } from './manifest.ts';

let dir: string;
let root: string;
let folder: BackupFolder;
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-folder-'));
  root = path.join(dir, 'dest');
  folder = await openBackupFolder(root, { makes: true });
});
afterEach(() => {
  folder.close();
  rmSync(dir, { recursive: true, force: true });
});

const manifest = (atMs: number, ...chunks: readonly string[]): Manifest => ({
  format: 1,
  atMs,
  svc: '1',
  host: 'h',
  owner: 'svc',
  state: '/s',
  desired: null,
  repository: null,
  store: 'sqlite:svc.db',
  entries: [{ root: 'state', path: 'a', bytes: 1, mode: 0o600, modifiedMs: 1, chunks }],
  left: [],
  verified: 'new',
});

async function put(text: string): Promise<string> {
  const sha = await folder.put(Buffer.from(text));
  await folder.settle();
  return sha;
}

async function again(): Promise<void> {
  folder.close();
  folder = await openBackupFolder(root, { makes: true });
}

test('an object is there once, under its hash, for this account alone, and is not written again', async () => {
  const sha = await put('one');
  const file = path.join(root, pathOf(sha));
  const { ino, mode } = statSync(file);
  expect([sha, mode & 0o777, statSync(root).mode & 0o777]).toEqual([nameOf(Buffer.from('one')), 0o600, 0o700]);
  await again();
  expect(folder.has(sha)).toBe(true);
  await put('one');
  expect(statSync(file).ino).toBe(ino);
  expect(String(await folder.object(sha))).toBe('one');
});

test('a snapshot is read back as it was written; one whose text is another one is refused', async () => {
  const { id } = await folder.add(manifest(1_000, await put('one')));
  expect(await folder.snapshots()).toEqual([{ id, atMs: 1_000 }]);
  expect((await folder.manifest(id)).atMs).toBe(1_000);
  const file = path.join(root, 'snapshots', `${id}.json`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"svc":"1"', '"svc":"2"'));
  await expect(folder.manifest(id)).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
});

test('an object of other bytes is never read; set aside, it is written again', async () => {
  const sha = await put('one');
  writeFileSync(path.join(root, pathOf(sha)), 'two');
  await expect(folder.object(sha)).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
  await folder.setAside(sha);
  await put('one');
  expect(String(await folder.object(sha))).toBe('one');
});

describe('what is removed', () => {
  test('is what no other snapshot names, and nothing that is not ours', async () => {
    const [shared, own, unnamed] = [await put('shared'), await put('own'), await put('of a backup that was killed')];
    const gone = await folder.add(manifest(1_000, shared, own));
    await folder.add(manifest(2_000, shared));
    const others = ['objects/readme', 'objects/zz/x', `objects/${shared.slice(0, 1)}/notes.txt`];
    mkdirSync(path.join(root, 'objects/zz'));
    for (const name of others) writeFileSync(path.join(root, name), 'x');
    await again();
    expect(await folder.remove([gone])).toEqual({ objects: 2, bytes: 'own'.length + 'of a backup that was killed'.length });
    expect([shared, own, unnamed].map((sha) => existsSync(path.join(root, pathOf(sha))))).toEqual([true, false, false]);
    expect(others.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
    expect(await folder.snapshots()).toHaveLength(1);
  });

  test('is nothing while a snapshot that stays can not be read', async () => {
    const [one, two] = [await put('one'), await put('two')];
    const gone = await folder.add(manifest(1_000, one));
    const kept = await folder.add(manifest(2_000, two));
    const file = path.join(root, 'snapshots', `${kept.id}.json`);
    renameSync(file, `${file}.moved`);
    writeFileSync(file, 'damaged');
    await expect(folder.remove([gone])).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
    expect([folder.has(one), (await folder.snapshots()).length]).toEqual([true, 2]);
  });

  test('is what a backup that was killed left half done', async () => {
    const sha = await put('one');
    const half = path.join(root, `${pathOf(sha)}.tmp`);
    writeFileSync(half, 'o');
    await again();
    expect(readdirSync(path.dirname(half))).toEqual([sha]);
  });
});

test.skipIf(process.getuid?.() !== 0)('what root writes into the folder of an account belongs to the account', async () => {
  const own = path.join(dir, 'own');
  mkdirSync(own);
  chownSync(own, 1_234, 1_234);
  const theirs = await openBackupFolder(own, { makes: true });
  const sha = await theirs.put(Buffer.from('one'));
  await theirs.settle();
  const { id } = await theirs.add(manifest(1_000, sha));
  theirs.close();
  const names = ['lock', 'pid', 'svc-backup', 'objects', path.dirname(pathOf(sha)), pathOf(sha), 'snapshots', `snapshots/${id}.json`];
  expect(names.filter((name) => statSync(path.join(own, name)).uid !== 1_234)).toEqual([]);
});

test('two at once are refused, and a folder with something else in it', async () => {
  await expect(openBackupFolder(root, { makes: true })).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(openBackupFolder(root, { makes: false })).rejects.toMatchObject({ code: 'CONFLICT' });
  writeFileSync(path.join(dir, 'letter'), 'x');
  await expect(openBackupFolder(dir, { makes: true })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(openBackupFolder(path.join(dir, 'none'), { makes: false })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(existsSync(path.join(dir, 'none'))).toBe(false);
});
