/** A folder of attachments is one store's, and what can't be read is not taken for nobody's. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attachmentsMarkFile, markAttachments } from './attachments-mark.ts';
import type { Store } from './store.ts';

type Values = Pick<Store, 'value' | 'putValue'>;
function createValues(): Values {
  const values = new Map<string, string>();
  return { value: async (name) => values.get(name) ?? null, putValue: async (name, value) => void values.set(name, value) };
}

let dir: string;
let folder: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-anexos-mark-'));
  folder = path.join(dir, 'anexos');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a new folder is its store’s at every later start, and no other store’s', async () => {
  const ours = createValues();
  expect([await markAttachments(folder, ours), await markAttachments(folder, ours)]).toEqual([null, null]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await markAttachments(folder, createValues())).toContain('another store');
  expect(await markAttachments(folder, ours)).toBeNull();
});

test('a store that was lost finds a folder that is not its own until somebody removes the mark', async () => {
  await markAttachments(folder, createValues());
  const anew = createValues();
  expect(await markAttachments(folder, anew)).toContain('another store');
  expect(await markAttachments(folder, anew)).toContain('another store');
  rmSync(path.join(folder, attachmentsMarkFile));
  expect(await markAttachments(folder, anew)).toBeNull();
});

test('a folder from before the mark is taken, with all that is in it', async () => {
  mkdirSync(path.join(folder, 's1'), { recursive: true });
  writeFileSync(path.join(folder, 's1', 'x'), 'x');
  expect(await markAttachments(folder, createValues())).toBeNull();
  expect(readFileSync(path.join(folder, 's1', 'x'), 'utf8')).toBe('x');
});

test('a mark that can not be read, or a folder that can not be written, is said, and nothing is marked', async () => {
  mkdirSync(path.join(folder, attachmentsMarkFile), { recursive: true });
  const values = createValues();
  expect(await markAttachments(folder, values)).toContain('this is a folder');
  expect(await values.value('attachments-id')).toBeNull();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file');
  chmodSync(folder, 0o600);
  expect(await markAttachments(folder, values)).toContain('EEXIST');
});
