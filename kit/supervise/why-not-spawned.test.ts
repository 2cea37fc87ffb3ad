import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whyNotSpawned } from './why-not-spawned.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-spawn-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** As the kernel refuses it. */
async function refusal(program: string): Promise<Error> {
  const [error] = (await once(spawn(program), 'error')) as [Error];
  return error;
}

test.for([
  [
    'a script whose interpreter is not there',
    '#!/opt/none/python3 -u\n',
    0o755,
    'its first line names /opt/none/python3, which is not on this server',
  ],
  ['a script that may not be executed', '#!/bin/sh\n', 0o644, 'it may not be executed'],
] as const)('%s', async ([name, text, mode, said]) => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  expect(whyNotSpawned(await refusal(file))).toContain(said);
});

test('what is not there keeps the words of the system, and a pipe is not waited for', async () => {
  expect(whyNotSpawned(await refusal(path.join(folder, 'none')))).toContain('ENOENT');
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(whyNotSpawned(await refusal(pipe))).toContain('EACCES');
});
