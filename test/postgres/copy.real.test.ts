/** An embedded store is copied to a real PostgreSQL: every table with every column, all of it or nothing. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { copyToPostgres } from '../../store/copy.ts';
import { limits } from '../../store/limits.ts';
import { migrations } from '../../store/migrations.ts';
import { createPostgresBytes } from '../../store/postgres-bytes.ts';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import { openPostgresStore } from '../../store/postgres.ts';
import { joinPortals } from '../../store/portals.ts';
import { openPostgresRoomLog } from '../../store/postgres-room-log.ts';
import { framed, typed, wholeYear } from '../../store/room-log-contract.ts';
import type { LoggedRoom } from '../../store/room-log.ts';
import { createRoomOwners } from '../../store/room-owners.ts';
import { openSqliteRoomLog } from '../../store/sqlite-room-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let folder: string;
let file: string;
let server: TestPostgres;
let tables: readonly string[];
/** Characters that JSON and SQL take as their own. */
const odd = `"ção" \\ \n 🎈 \0 '; --`;
const rowsOfEach = 1_203;
const options = { clock: systemClock, holder: 'test', rooms: null, folders: {} };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcc-'));
  file = join(folder, 'svc.db');
  server = await startPostgres();
  await (await openSqliteStore(file)).close();
  tables = fillAll(file);
});
afterAll(async () => {
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Every column of every table; what refers to a room has one. */
function fillAll(path: string): readonly string[] {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA foreign_keys = OFF; BEGIN');
  const named = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`).all();
  const names = named.map(({ name }) => String(name));
  for (const name of names) {
    const columns = database.prepare('SELECT name, type FROM pragma_table_info(?)').all(name);
    // A notice is of a room or of an app.
    const isFree = (column: unknown): boolean =>
      columns.some((each) => each['name'] === 'words') && (column === 'app' || column === 'words');
    const insert = database.prepare(`INSERT INTO "${name}" VALUES (${columns.map(() => '?').join(', ')})`);
    for (let n = 1; n <= rowsOfEach; n += 1)
      insert.run(
        ...columns.map(({ name: column, type }) =>
          isFree(column) ? null : type === 'TEXT' ? JSON.stringify({ n, text: odd }) : type === 'REAL' ? n / 7 : n,
        ),
      );
  }
  // Made with its table.
  database.exec(`DELETE FROM counters WHERE name = 'jobs'; COMMIT`);
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  database.close();
  return names;
}

async function rowsOf(place: PostgresPlace, table: string): Promise<readonly object[]> {
  const { name: _, ...connection } = place;
  const client = new Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly row: object }>(`SELECT row_to_json(t) AS row FROM "${table}" t`);
    return rows.map(({ row }) => row);
  } finally {
    await client.end();
  }
}

const sorted = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();

test('every row of every table is there as it was, and the next event comes after them', async () => {
  const place = await server.database();
  const copied = await copyToPostgres(file, place, options);
  expect(Object.fromEntries(copied.map(({ table, rows }) => [table, rows]))).toEqual(
    Object.fromEntries(tables.map((table) => [table, rowsOfEach])),
  );
  const source = new DatabaseSync(file, { readOnly: true });
  for (const table of tables)
    expect([table, ...sorted(await rowsOf(place, table))]).toEqual([table, ...sorted(source.prepare(`SELECT * FROM "${table}"`).all())]);
  source.close();
  const store = await openPostgresStore(place, { clock: systemClock, holder: null, migrates: false });
  await store.appendEvent({
    key: 'Server/um',
    type: 'Normal',
    reason: 'Healthy',
    message: 'depois',
    round: 'r',
    atMs: 1,
    from: null,
    to: 'running',
  });
  const [last] = await store.events({ under: 'Server/um', limit: 10 });
  expect(last?.seq).toBe(rowsOfEach + 1);
  await store.close();
});

test('a file of an older svc stays as it was', async () => {
  const older = join(folder, 'older.db');
  const database = new DatabaseSync(older);
  for (const step of migrations.slice(0, -1)) database.exec(step);
  database.exec(`PRAGMA user_version = ${migrations.length - 1}`);
  database.close();
  const before = await readFile(older);
  await copyToPostgres(older, await server.database(), options);
  expect((await readFile(older)).equals(before)).toBe(true);
});

test('a database that has rows, or that ends in the middle, is as it was', async () => {
  const place = await server.database();
  const store = await openPostgresStore(place, { clock: systemClock, holder: null, migrates: true });
  await store.putValue('antes', '1');
  await store.close();
  await expect(copyToPostgres(file, place, options)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await rowsOf(place, 'events')).toEqual([]);

  const other = await server.database();
  // As a process that is stopped: by the time that it goes on another portal may lead.
  let isStopped = false;
  const stopOnce = (): void => {
    if (!isStopped) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, limits.storeHeldMsMax + 1_000);
    isStopped = true;
  };
  await expect(copyToPostgres(file, other, { ...options, onTable: stopOnce })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  const ends: Promise<void>[] = [];
  const onTable = (): void => void (ends.length > 0 || ends.push(server.stop('immediate')));
  await expect(copyToPostgres(file, other, { ...options, onTable })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await Promise.all(ends);
  await server.start();
  for (const table of tables)
    expect([table, await rowsOf(other, table)]).toEqual([table, table === 'counters' ? [{ name: 'jobs', n: 0 }] : []]);
  expect(await copyToPostgres(file, other, options)).toHaveLength(tables.length);
});

test('documents of rooms are copied with it, and those of another store are refused', async () => {
  const from = join(folder, 'rooms.db');
  const key = { sala: 's000000000000000000001', canal: 'documento' } as const;
  const log = await openSqliteRoomLog(from);
  for (const seq of [1, 2, 3, 4]) {
    await log.append([{ ...key, seq, frames: framed(typed(seq, 3).updates) }]);
    if (seq === 2) await log.compact(key, wholeYear);
  }
  await log.append([{ ...key, canal: 'comentarios', seq: 1, frames: framed(typed(5, 3).updates) }]);
  const [before, comments] = [await log.load(key), await log.load({ ...key, canal: 'comentarios' })];
  await log.close();
  const database = new DatabaseSync(from);
  database.exec(
    `CREATE TABLE mark (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT; INSERT INTO mark VALUES (1, 'id 1')`,
  );
  database.close();
  const mark = (id: string): void => {
    const store = new DatabaseSync(file);
    store.prepare(`INSERT INTO named_values VALUES ('room-log-id', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`).run(id);
    store.close();
  };
  const place = await server.database();
  mark('id 2');
  const refused = copyToPostgres(file, place, { ...options, rooms: from });
  await expect(refused).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('not those of this store') as string,
  });
  mark('id 1');
  const copied = await copyToPostgres(file, place, { ...options, rooms: from });
  expect(copied.slice(-2)).toEqual([
    { table: 'room_bases', rows: 1 },
    { table: 'room_tails', rows: 3 },
  ]);
  const store = await openPostgresStore(place, { clock: systemClock, holder: null, migrates: false });
  expect(await store.value('room-log-id')).toBe('database');
  const member = await joinPortals(store.pools.pool, {
    holder: 'test',
    address: '',
    version: '1',
    clock: systemClock,
    onLapsed: () => undefined,
  });
  const shared = openPostgresRoomLog({
    pool: store.pools.pool,
    owners: createRoomOwners(store.pools.pool, member, systemClock),
    clock: systemClock,
  });
  const plain = ({ base, vector, deletes, tail, seq }: LoggedRoom) =>
    [base ?? new Uint8Array(), vector, deletes, tail].map((bytes) => Buffer.from(bytes).toString('hex')).concat(String(seq));
  expect(plain(await shared.load(key))).toEqual(plain(before));
  expect(plain(await shared.load({ ...key, canal: 'comentarios' }))).toEqual(plain(comments));
  await shared.close();
  await member.leave();
  await store.close();
});

test('attachments and files of jobs are copied with it, whole and under their names, or nothing is', async () => {
  const folders = { anexos: join(folder, 'anexos'), fila: join(folder, 'fila') };
  const wanted: Readonly<Record<string, Buffer>> = {
    'anexos/s000000000000000000001/aa': randomBytes(3_000_000),
    'anexos/s000000000000000000002/bb': randomBytes(10),
    'fila/entradas/ana/notas/cc': randomBytes(70_000),
    'fila/trabalhos/j1/registo': Buffer.alloc(0),
  };
  for (const [name, bytes] of Object.entries({
    ...wanted,
    'anexos/.store': Buffer.from('id'),
    'anexos/s000000000000000000001/.in-1': Buffer.from('half'),
  })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  const place = await server.database();
  const copied = await copyToPostgres(file, place, { ...options, folders });
  expect(copied.slice(-2)).toEqual([
    { table: 'files of anexos', rows: 2 },
    { table: 'files of fila', rows: 2 },
  ]);
  expect((await rowsOf(place, 'files')).length).toBe(4);
  const store = await openPostgresStore(place, { clock: systemClock, holder: null, migrates: false });
  for (const [name, bytes] of Object.entries(wanted)) {
    const [root = '', ...parts] = name.split('/');
    const files = createPostgresBytes(store.pools.pool, systemClock, root);
    const found = await files.open(parts.slice(0, -1).join('/'), parts.at(-1) ?? '');
    expect((await buffer(found!.read())).equals(bytes)).toBe(true);
  }
  await store.close();
  await expect(copyToPostgres(file, place, { ...options, folders })).rejects.toMatchObject({ code: 'CONFLICT' });
});
