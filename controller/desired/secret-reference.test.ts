import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSecretReference } from './secret-reference.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-sec-'));
  writeFileSync(path.join(dir, 'good'), 'hush hush\n', { mode: 0o600 });
  writeFileSync(path.join(dir, 'windows'), 'hush\r\n');
  writeFileSync(path.join(dir, 'empty'), '\n');
  writeFileSync(path.join(dir, 'large'), 'x'.repeat(64 * 1_024 + 1));
  mkdirSync(path.join(dir, 'folder'));
  symlinkSync(path.join(dir, 'good'), path.join(dir, 'link'));
  execFileSync('mkfifo', [path.join(dir, 'pipe')]);
  chmodSync(path.join(dir, 'pipe'), 0o600);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test.for([
  [{ file: 'good' }, 'hush hush'],
  [{ file: 'windows' }, 'hush'],
  [{ file: 'link' }, 'hush hush'],
  [{ env: 'SET' }, 'of the variable'],
] as const)('%o holds %s', async ([reference, secret]) => {
  expect(await readSecretReference(reference, dir, { SET: 'of the variable' })).toBe(secret);
});

test.for([
  [{ file: 'missing' }, "the file missing can't be read: there is no such file"],
  [{ file: 'empty' }, 'the file empty is empty'],
  [{ file: 'large' }, "the file large can't be read: it has more than 65536 bytes"],
  [{ file: 'folder' }, "the file folder can't be read: expected a plain file, this is a folder"],
  [{ file: 'pipe' }, "the file pipe can't be read: expected a plain file, this is a named pipe"],
  [{ env: 'UNSET' }, 'the variable UNSET is not set, or empty'],
  [{ env: 'EMPTY' }, 'the variable EMPTY is not set, or empty'],
] as const)('%o is refused, with its place and nothing else', async ([reference, message]) => {
  await expect(readSecretReference(reference, dir, { EMPTY: '' })).rejects.toMatchObject({ code: 'SECRET_UNREADABLE', message });
});
