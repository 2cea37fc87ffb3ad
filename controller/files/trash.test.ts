/** A trash in real folders, by a file system that counts what is opened. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FileSystem, PinnedFileSystem } from './file-system.ts';
import { createNodeFileSystem } from './node-file-system.ts';
import { createTrash } from './trash.ts';

let folder: string;
let opened: string[];
let listed: string[];
const uid = process.getuid?.() ?? 0;
const at = (...names: readonly string[]): string => path.join(folder, ...names);
const quietly = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svcl-'));
  opened = [];
  listed = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function counting(): FileSystem {
  const here = createNodeFileSystem();
  const fs: PinnedFileSystem = {
    ...here,
    open: async (file, ...more) => {
      opened.push(path.basename(file.toString()));
      return await here.open(file, ...more);
    },
    list: (of) => {
      listed.push(path.basename(of.toString()));
      return here.list(of);
    },
    pinned: async () => fs,
  };
  return fs;
}

/** Things with notes, the last of them the newest. */
function trashed(trash: string, count: number): void {
  for (const name of ['files', 'info']) mkdirSync(path.join(trash, name), { recursive: true });
  for (let n = 1; n <= count; n += 1) {
    const note = path.join(trash, 'info', `t${n}.trashinfo`);
    writeFileSync(path.join(trash, 'files', `t${n}`), 'x');
    writeFileSync(note, `[Trash Info]\nPath=/antes/t${n}\nDeletionDate=2026-01-01T00:00:00\n`);
    utimesSync(note, n, n);
  }
}

test('a page of the trash reads the notes of that page', async () => {
  trashed(at('.local/share/Trash'), 200);
  const trash = createTrash(counting(), Buffer.from(folder));
  const { total, itens } = await trash.list(1, 2);
  expect([total, itens.map(({ origem }) => origem)]).toEqual([200, ['/antes/t199', '/antes/t198']]);
  expect(opened).toEqual(['t199.trashinfo', 't198.trashinfo']);
});

test('pages that are asked for at once share a reading that began after they asked', async () => {
  trashed(at('.local/share/Trash'), 20);
  const trash = createTrash(counting(), Buffer.from(folder));
  const pages = Array.from({ length: 8 }, (_, n) => trash.list(n, 1));
  rmSync(at('.local/share/Trash/files/t20'));
  const after = trash.list(0, 1);
  await Promise.all(pages);
  expect([(await after).itens.map(({ origem }) => origem), listed.length]).toEqual([['/antes/t19'], 4]);
});

test.for<readonly [string, (top: string) => void, string]>([
  ['a link in place of the trash', (top) => symlinkSync(at('docs'), path.join(top, `.Trash-${uid}`)), `.Trash-${uid}`],
  [
    'a link in place of its folder',
    (top) => {
      mkdirSync(path.join(top, `.Trash-${uid}`, 'info'), { recursive: true });
      symlinkSync(at('docs/files'), path.join(top, `.Trash-${uid}`, 'files'));
    },
    `.Trash-${uid}`,
  ],
  [
    'a shared one without the sticky bit',
    (top) => {
      trashed(path.join(top, '.Trash', String(uid)), 1);
      chmodSync(path.join(top, '.Trash'), 0o777);
    },
    `.Trash/${uid}`,
  ],
])('at the top of another disk: with %s nothing is removed or put back', async ([, make, name]) => {
  trashed(at('docs'), 1);
  mkdirSync(at('disco'));
  make(at('disco'));
  const trash = createTrash(createNodeFileSystem(), Buffer.from(folder));
  const id = Buffer.from(at('disco', name, 'files/t1'));
  const ends = await Promise.allSettled([trash.remove(id, quietly), trash.restore(id, Buffer.from(folder), 'recusar', quietly)]);
  expect(ends.map((end) => (end as { reason?: { errno: string } }).reason?.errno)).toEqual(['EXCHANGED', 'EXCHANGED']);
  expect([existsSync(at('docs/files/t1')), existsSync(at('disco', name, 'files/t1'))]).toEqual([true, true]);
});

test('an id that leads to no trash of the account is refused', async () => {
  const trash = createTrash(createNodeFileSystem(), Buffer.from(folder));
  for (const id of ['outra/Trash/files/x', 'docs/files/x', '.Trash-1/info/x', '7/files/x'])
    await expect(trash.remove(Buffer.from(at(id)), quietly)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('what is left out as it is put back stays in the trash, with its note', async () => {
  const trash = createTrash(createNodeFileSystem(), Buffer.from(folder));
  const file = at('a.txt');
  writeFileSync(file, 'old');
  const id = await trash.put(Buffer.from(file), quietly);
  writeFileSync(file, 'new');
  expect(await trash.restore(id, null, 'pular', quietly)).toBeNull();
  expect((await trash.list(0, 9)).itens).toMatchObject([{ nome: 'a.txt', origem: file }]);
});
