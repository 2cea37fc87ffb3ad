import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import { describeStore } from './store-contract.ts';
import { createTurnWriter } from './turn-writer.ts';

const removeFolder = (dir: string): void => rmSync(dir, { recursive: true, force: true });

describeStore('sqlite', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-store-'));
  return { open: () => openSqliteStore(path.join(dir, 'svc.db')), remove: async () => removeFolder(dir) };
});

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-store-'));
  file = path.join(dir, 'deep/svc.db');
});
afterEach(() => removeFolder(dir));

test('the file and its side files belong to the account alone', async () => {
  const store = await openSqliteStore(file);
  await store.putValue('a', 'b');
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  await store.close();
});

test('a store of a newer svc is refused and left as it is', async () => {
  await (await openSqliteStore(file)).close();
  const raw = new DatabaseSync(file);
  raw.exec('PRAGMA user_version = 99');
  raw.close();
  await expect(openSqliteStore(file)).rejects.toMatchObject({ code: 'STORE_NEWER' });
});

test('a file that is no database is refused and not overwritten', async () => {
  const other = path.join(dir, 'other.db');
  writeFileSync(other, "this is not a database, it is somebody's text file".repeat(100));
  await expect(openSqliteStore(other)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(statSync(other).size).toBeGreaterThan(1_000);
});

test('one failing write of a turn takes no other with it, and its caller hears of it', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY) STRICT');
  const writer = createTurnWriter(database);
  const insert = database.prepare('INSERT INTO t VALUES (?)');
  let undone = 0;
  const results = await Promise.allSettled([
    writer.write(() => insert.run(1)),
    writer.write(
      () => insert.run(1),
      () => {
        undone += 1;
      },
    ),
    writer.write(() => insert.run(2)),
  ]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((results[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'STORE_FAILED' });
  expect(undone).toBe(1);
  expect(database.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 2 });
});
