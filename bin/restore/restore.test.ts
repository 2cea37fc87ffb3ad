import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nameOf } from '../../store/backup/chunks.ts';
import type { Entry, Manifest } from '../../store/backup/manifest.ts';
import { lockState } from '../../store/state-lock.ts';
import { performRestore } from './perform.ts';
import { newerParts, partsToWrite, planRestore } from './plan.ts';

const atMs = Date.UTC(2026, 0, 2);
const dayS = 24 * 60 * 60;
let dir: string;
let stateDir: string;
let desired: string;
let objects: Map<string, Buffer>;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-restore-'));
  [stateDir, desired] = [path.join(dir, 'state'), path.join(dir, 'desired')];
  objects = new Map();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function entry(root: Entry['root'], name: string, text: string, mode = 0o600): Entry {
  const bytes = Buffer.from(text);
  objects.set(nameOf(bytes), bytes);
  return { root, path: name, bytes: bytes.length, mode, modifiedMs: atMs, chunks: [nameOf(bytes)] };
}

const manifest = (entries: readonly Entry[], over: Partial<Manifest> = {}): Manifest => ({
  format: 1,
  atMs,
  svc: '1',
  host: 'h',
  owner: 'root',
  state: '/was/state',
  desired: '/was/desired',
  repository: null,
  store: 'sqlite:svc.db',
  entries,
  left: [],
  verified: 'new',
  ...over,
});

const restore = async (of: Manifest, over = false) =>
  await performRestore(await planRestore(of, { stateDir, desired }), { over, nowMs: 5, object: async (sha) => objects.get(sha)! });

/** Writes a file dated so many days before or after the moment. */
function there(name: string, text: string, days: number): string {
  const file = path.join(stateDir, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, atMs / 1_000 + days * dayS, atMs / 1_000 + days * dayS);
  return file;
}

const text = (file: string): string => readFileSync(file, 'utf8');

test('each file is in its place, with its mode and time; what lay in the desired folder lies in the new one', async () => {
  const secret = path.join(dir, 'elsewhere/secret');
  await restore(
    manifest([
      entry('state', 'ssh/id_ed25519', 'key'),
      entry('state', 'anexos/s1/a', 'a'),
      entry('desired', 'casa.yaml', 'yaml', 0o640),
      entry('secret', secret, 'hush'),
      entry('secret', '/was/desired/secrets/oidc', 'oidc'),
    ]),
  );
  const files = [
    path.join(stateDir, 'ssh/id_ed25519'),
    path.join(stateDir, 'anexos/s1/a'),
    path.join(desired, 'casa.yaml'),
    secret,
    path.join(desired, 'secrets/oidc'),
  ];
  expect(files.map(text)).toEqual(['key', 'a', 'yaml', 'hush', 'oidc']);
  expect(files.map((file) => (statSync(file).mode & 0o777).toString(8))).toEqual(['600', '600', '640', '600', '600']);
  expect(statSync(files[2]!).mtimeMs).toBe(atMs);
  expect((statSync(stateDir).mode & 0o777).toString(8)).toBe('700');
});

describe('what is there', () => {
  test('and older is replaced and kept beside; and what is not of the backup stays', async () => {
    there('ssh/id_ed25519', 'old', -1);
    there('casa/home/ana/own', 'hers', 1);
    there('anexos/s9/z', 'of another store', -1);
    await restore(manifest([entry('state', 'ssh/id_ed25519', 'key'), entry('state', 'anexos/s1/a', 'a')]));
    const names = ['ssh/id_ed25519', 'before-restore-5/ssh/id_ed25519', 'before-restore-5/anexos/s9/z', 'casa/home/ana/own'];
    expect(names.map((name) => text(path.join(stateDir, name)))).toEqual(['key', 'old', 'of another store', 'hers']);
    expect(existsSync(path.join(stateDir, 'anexos/s9'))).toBe(false);
  });

  test('and newer is replaced only when that was asked for', async () => {
    const key = there('ssh/id_ed25519', 'new', 1);
    const one = manifest([entry('state', 'ssh/id_ed25519', 'key')]);
    expect(newerParts(await planRestore(one, { stateDir, desired })).map(({ to }) => to)).toEqual([key]);
    await expect(restore(one)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(text(key)).toBe('new');
    await restore(one, true);
    expect([text(key), text(path.join(stateDir, 'before-restore-5/ssh/id_ed25519'))]).toEqual(['key', 'new']);
  });

  test('and the same is left as it is, however new', async () => {
    there('ssh/id_ed25519', 'key', 1);
    const plan = await planRestore(manifest([entry('state', 'ssh/id_ed25519', 'key')]), { stateDir, desired });
    expect([partsToWrite(plan), newerParts(plan)]).toEqual([[], []]);
  });

  test.for([
    ['the audit record', [['state', 'audit/head.json']], null],
    ['the index of a repository', [['repository', 'v1/catalogo.json']], 'repository'],
  ] as const)('of %s is never written over', async ([, entries, repository]) => {
    const at = repository === null ? null : path.join(dir, repository);
    const [[root, name]] = entries;
    const file = at === null ? there(name, 'of now', -1) : path.join(at, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'of now');
    await restore(manifest([entry(root, name, 'of then')], { repository: at }), true);
    expect(text(file)).toBe('of now');
  });

  test('of a portal that runs refuses the restore', async () => {
    const lock = lockState(stateDir);
    writeFileSync(path.join(stateDir, 'pid'), '1\n');
    const waiting = restore(manifest([entry('state', 'ssh/id_ed25519', 'key')]), true);
    await expect(waiting).rejects.toMatchObject({ code: 'STATE_IN_USE' });
    lock.release();
  });
});

test('a backup whose object is missing changes nothing', async () => {
  there('ssh/id_ed25519', 'old', -1);
  const lost = entry('state', 'ssh/other', 'x');
  const of = manifest([entry('state', 'ssh/id_ed25519', 'key'), { ...lost, bytes: 99 }]);
  await expect(restore(of)).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
  expect([text(path.join(stateDir, 'ssh/id_ed25519')), existsSync(path.join(stateDir, 'restore.json'))]).toEqual(['old', false]);
});

test.skipIf(process.getuid?.() !== 0)('root gives all of it to the account of the state folder', async () => {
  mkdirSync(stateDir);
  chownSync(stateDir, 1_234, 1_234);
  await restore(
    manifest([entry('state', 'ssh/id_ed25519', 'key'), entry('state', 'anexos/s1/a', 'a'), entry('state', 'secrets/oidc', 'hush')]),
  );
  const names = ['', 'lock', 'ssh', 'ssh/id_ed25519', 'anexos', 'anexos/s1', 'anexos/s1/a', 'secrets/oidc'];
  expect(names.filter((name) => statSync(path.join(stateDir, name)).uid !== 1_234)).toEqual([]);
});
