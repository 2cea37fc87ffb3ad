/** Bytes of the queue on disk: what broke off goes on, repeats double nothing, other bytes than announced are not kept. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { text as textOf } from 'node:stream/consumers';
import type { OpenBytes } from '../../store/bytes.ts';
import { createFolderBytes } from '../../store/folder-bytes.ts';
import { createQueueFiles, type QueueFiles } from './files.ts';
import { limits } from './limits.ts';

let dir: string;
let files: QueueFiles;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-fila-'));
  files = createQueueFiles(createFolderBytes(path.join(dir, 'fila')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const whole = Buffer.from('0123456789');
const sha = createHash('sha256').update(whole).digest('hex');
const job = `j${'0'.repeat(20)}`;
async function* body(text: string, breaks = false): AsyncIterable<Uint8Array> {
  for (const piece of text.match(/[^]{1,3}/g) ?? []) yield Buffer.from(piece);
  if (breaks) throw new Error('the connection broke');
}
const add = (from: number, text: string, breaks = false) => files.add(files.outputPlace(job, sha), from, whole.length, body(text, breaks));
async function text(file: OpenBytes | null): Promise<string | null> {
  const read = file && (await textOf(file.read()));
  await file?.close();
  return read;
}
const read = async (): Promise<string | null> => await text(await files.open(files.outputPlace(job, sha)));

test('it comes in pieces, in any overlap, and is there once it is whole', async () => {
  expect(await add(0, '0123')).toEqual({ ate: 4, complete: false });
  expect([await read(), await files.arrived(files.outputPlace(job, sha))]).toEqual([null, 4]);
  // A gap: nothing is taken.
  expect(await add(5, '56789')).toEqual({ ate: 4, complete: false });
  expect(await add(1, '12')).toEqual({ ate: 4, complete: false });
  expect(await add(2, '234567')).toEqual({ ate: 8, complete: false });
  expect(await add(8, '89')).toEqual({ ate: 10, complete: true });
  expect(await read()).toBe('0123456789');
  // The answer was lost: the same again.
  expect(await add(8, '89')).toEqual({ ate: 10, complete: true });
  const folder = path.join(dir, 'fila/trabalhos', job);
  expect([readdirSync(folder), statSync(folder).mode & 0o777, statSync(path.join(folder, sha)).mode & 0o777]).toEqual([
    [sha],
    0o700,
    0o600,
  ]);
});

test('what came before a break stays', async () => {
  await expect(add(0, '012345', true)).rejects.toThrow('the connection broke');
  expect(await files.arrived(files.outputPlace(job, sha))).toBe(6);
  // After a restart.
  files = createQueueFiles(createFolderBytes(path.join(dir, 'fila')));
  expect(await add(6, '6789')).toEqual({ ate: 10, complete: true });
});

test('an empty file is whole at once', async () => {
  const none = createHash('sha256').digest('hex');
  expect(await files.add(files.inputPlace('ana', 'notas', none), 0, 0, body(''))).toEqual({ ate: 0, complete: true });
});

test('other bytes, and more than were announced, are refused, and it begins again', async () => {
  await expect(add(0, '012345678x')).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
  expect(await files.arrived(files.outputPlace(job, sha))).toBe(0);
  await expect(add(0, '01234567890')).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect(await add(0, '0123456789')).toEqual({ ate: 10, complete: true });
});

test('two senders of one file make it once', async () => {
  const made = await Promise.all([add(0, '0123456789'), add(0, '0123456789')]);
  expect(made).toEqual([
    { ate: 10, complete: true },
    { ate: 10, complete: true },
  ]);
  expect(await read()).toBe('0123456789');
});

test('a log grows by what is new, to its limit', async () => {
  expect(await files.addLog(job, 0, body('one\n'))).toBe(4);
  expect(await files.addLog(job, 0, body('one\ntwo\n'))).toBe(8);
  expect(await files.addLog(job, 9, body('lost'))).toBe(8);
  expect(await text(await files.openLog(job))).toBe('one\ntwo\n');
  await expect(files.addLog(job, limits.jobLogBytesMax, body('x'))).rejects.toMatchObject({ code: 'TOO_LARGE' });
});

test('no name leads out of the folder, and no link is followed', async () => {
  for (const [usuario, app, name] of [
    ['..', 'notas', sha],
    ['ana', '../x', sha],
    ['ana', 'notas', '../../../etc/passwd'],
    ['', 'notas', sha],
  ] as const)
    expect(() => files.inputPlace(usuario, app, name)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  expect(() => files.outputPlace('../x', sha)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  expect(files.inputPlace('@casa', 'notas', sha)).toEqual({ folder: 'entradas/@casa/notas', sha });
  await add(0, '0');
  const outside = path.join(dir, 'outside');
  writeFileSync(outside, 'mine');
  const part = path.join(dir, 'fila', files.outputPlace(job, sha).folder, `${sha}.parte`);
  rmSync(part);
  symlinkSync(outside, part);
  await expect(add(0, '0')).rejects.toThrow('ELOOP');
  expect(await files.arrived(files.outputPlace(job, sha))).toBe(0);
});

test('what is left over goes, and nothing else', async () => {
  await add(0, '0123456789');
  await files.add(files.inputPlace('ana', 'notas', sha), 0, 10, body('01'));
  await files.remove({ kind: 'input', name: `ana/notas/${sha}` });
  expect([readdirSync(path.join(dir, 'fila/entradas/ana/notas')), await read()]).toEqual([[], '0123456789']);
  await files.remove({ kind: 'job', name: job });
  expect(existsSync(path.join(dir, 'fila/trabalhos', job))).toBe(false);
  await files.remove({ kind: 'job', name: job });
});
