import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrations } from './migrations.ts';
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

test('what was in force in a store of before stands in the table', async () => {
  mkdirSync(path.dirname(file));
  const raw = new DatabaseSync(file);
  const version = migrations.findIndex((step) => step.includes('CREATE TABLE in_force'));
  for (const step of migrations.slice(0, version)) raw.exec(step);
  raw.exec(`PRAGMA user_version = ${version}`);
  const placed = (kind: string, name: string) => ({ document: { kind, metadata: { name } }, place: { line: 1 }, generation: 2 });
  const value = { hash: 'h', held: [], why: null, documents: [placed('Person', 'ana')], leaving: [placed('Server', 'casa')] };
  raw.prepare('INSERT INTO named_values VALUES (?, ?)').run('desired/in-force', JSON.stringify(value));
  raw.close();
  const store = await openSqliteStore(file);
  expect(await store.inForce()).toEqual([
    { name: 'Person/ana', leaving: false, body: JSON.stringify(placed('Person', 'ana')) },
    { name: 'Server/casa', leaving: true, body: JSON.stringify(placed('Server', 'casa')) },
  ]);
  expect(await store.value('desired/in-force')).toBe('{"hash":"h","held":[],"why":null}');
  await store.close();
});

test('the bell of a store of before is kept, and takes what an app tells its person', async () => {
  mkdirSync(path.dirname(file));
  const raw = new DatabaseSync(file);
  const version = migrations.findIndex((step) => step.includes('CREATE TABLE all_notices'));
  for (const step of migrations.slice(0, version)) raw.exec(step);
  raw.exec(`PRAGMA user_version = ${version}`);
  raw.exec(`INSERT INTO rooms VALUES ('s1', 'notas', 'Atas', 'ana', 1, 1, NULL)`);
  raw.exec(
    `INSERT INTO notices VALUES ('n1', 'bia', 'convite', 's1', 'ana', 'ver', NULL, 5, 0), ('n2', 'bia', 'mencao', 's1', 'ana', NULL, 'c1', 6, 1)`,
  );
  raw.close();
  const store = await openSqliteStore(file);
  await store.rooms.addAppNotice({ id: 'n3', usuario: 'bia', app: 'notas', texto: 'Pronto', rota: null, atMs: 7 });
  expect(
    (await store.rooms.notices('bia')).map(({ id, sala, papel, ancora, read, texto }) => [id, sala, papel, ancora, read, texto]),
  ).toEqual([
    ['n3', null, null, null, false, 'Pronto'],
    ['n2', 's1', null, 'c1', true, null],
    ['n1', 's1', 'ver', null, false, null],
  ]);
  await store.rooms.deleteRoom('s1');
  expect((await store.rooms.notices('bia')).map(({ id }) => id)).toEqual(['n3']);
  await store.close();
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
