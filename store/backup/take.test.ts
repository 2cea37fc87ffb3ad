import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBackupFolder, type BackupFolder } from './folder.ts';
import type { Entry } from './manifest.ts';
import type { Source } from './file-entries.ts';
import { SvcError } from '../../schema/errors.ts';
import { damagedObjects, takeSnapshot } from './take.ts';

let dir: string;
let folder: BackupFolder;
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-take-'));
  mkdirSync(path.join(dir, 'state'));
  folder = await openBackupFolder(path.join(dir, 'dest'), { makes: true });
});
afterEach(() => {
  folder.close();
  rmSync(dir, { recursive: true, force: true });
});

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now(), at: () => () => undefined };

/** `meanwhile`: between the first read and the moment. */
async function take(
  files: readonly Source[],
  before: readonly Entry[],
  meanwhile: () => void = () => undefined,
): Promise<readonly Entry[]> {
  const { entries } = await takeSnapshot({
    stateDir: path.join(dir, 'state'),
    databases: [],
    rows: null,
    list: async () => files.filter(({ file }) => existsSync(file)),
    sink: folder,
    before,
    clock,
    step: (name) => {
      if (name === 'files-read') meanwhile();
    },
  });
  return entries;
}

const bytesOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ path: name, bytes }) => `${name} ${bytes}`);
const source = (name: string, more: Partial<Source> = {}): Source => ({
  root: 'state',
  path: name,
  file: path.join(dir, name),
  isOwn: true,
  ...more,
});

test('what changes before the moment is read again; a file named by its hash is read once, and one that went is left out', async () => {
  for (const name of ['log', 'sha', 'gone']) writeFileSync(path.join(dir, name), 'one');
  const entries = await take([source('log'), source('sha', { isFixed: true }), source('gone', { isFixed: true })], [], () => {
    for (const name of ['log', 'sha']) appendFileSync(path.join(dir, name), ' and two');
    rmSync(path.join(dir, 'gone'));
  });
  expect(bytesOf(entries)).toEqual(['log 11', 'sha 3']);
});

test('an unchanged file is its entry of the snapshot before, unless an object of it is gone', async () => {
  const file = path.join(dir, 'a');
  writeFileSync(file, 'one');
  const [entry] = await take([source('a')], []);
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  const known = { ...entry!, stamp: `${ino} ${size} ${mtimeNs} ${ctimeNs}`, mode: 0o111 };
  expect((await take([source('a')], [known]))[0]).toBe(known);
  expect((await take([source('a')], [{ ...known, chunks: ['0'.repeat(64)] }]))[0]).toMatchObject({
    mode: entry?.mode,
    chunks: entry?.chunks,
  });
  utimesSync(file, 1, 1);
  expect((await take([source('a')], [known]))[0]).toMatchObject({ modifiedMs: 1_000 });
});

test('an object that can not be read now is not taken for a damaged one', async () => {
  const answers: Readonly<Record<string, Error>> = {
    a: new SvcError('DIGEST_MISMATCH', 'a'),
    b: new SvcError('NOT_FOUND', 'b'),
    c: Object.assign(new Error('c'), { code: 'EIO' }),
  };
  const damaged = (...chunks: readonly string[]) =>
    damagedObjects({ entries: [{ chunks } as unknown as Entry] }, (sha) => Promise.reject(answers[sha] ?? new Error(sha)));
  expect(await damaged('a', 'b')).toEqual(['a', 'b']);
  await expect(damaged('a', 'c')).rejects.toMatchObject({ code: 'EIO' });
});
