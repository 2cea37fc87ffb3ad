/**
 * The whole of an embedded store, and the documents of its rooms, put into an empty database of PostgreSQL: all tables in one transaction, or nothing. Counts are compared before it is
 * committed. The files stay as they are, but for steps of the schema that it lacked.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { ClientBase } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { refuseOtherKindSync } from '../schema/plain-file.ts';
import { copyBytes } from './bytes-move.ts';
import { limits } from './limits.ts';
import { bytesInTransaction } from './postgres-bytes.ts';
import type { PostgresPlace } from './postgres-hosts.ts';
import { openPostgresStore } from './postgres.ts';
import { copyDocuments, roomLogName } from './room-log-move.ts';
import { roomLogTrouble } from './room-log-mark.ts';
import { storedText } from './sql-text.ts';
import { openSqliteStore } from './sqlite.ts';
import { onCopy } from './upgrade/sqlite-look.ts';

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

export interface CopyOptions {
  readonly clock: Clock;
  /** Name of the copying process, for a portal that finds the database in use. */
  readonly holder: string;
  readonly onTable?: (copied: CopiedTable) => void;
  /** The file with the documents of rooms; null: they stay where they are. */
  readonly rooms: string | null;
  /** Folders of bytes (bytes.ts), by their names in the database. */
  readonly folders: Readonly<Record<string, string>>;
}

/**
 * Nobody else may have either of them open: the caller holds the lock of the state folder, the lease of the database is taken here. Rejects with
 * CONFLICT when the database has rows, with STATE_IN_USE when a portal leads on it, with STORE_FAILED when either can't be read or written.
 */
export async function copyToPostgres(file: string, place: PostgresPlace, options: CopyOptions): Promise<readonly CopiedTable[]> {
  refuseOtherKindSync(file);
  // A copy is brought up to date: the svc that wrote the file can go on with it.
  return await onCopy(file, async (copy) => await copyFrom(copy, file, place, options));
}

async function copyFrom(
  copy: string,
  file: string,
  place: PostgresPlace,
  { clock, holder, onTable, rooms, folders }: CopyOptions,
): Promise<readonly CopiedTable[]> {
  await (await openSqliteStore(copy)).close();
  const store = await openPostgresStore(place, { clock, holder, migrates: true });
  const source = openToRead(copy);
  const { name } = place;
  const client = store.pools.hosts.newClient();
  // A broken connection is reported by the query that fails on it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await store.pools.hosts.admit(client);
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
    const tables = parentsFirst(source);
    await refuseFilled(client, tables, name);
    const copied: CopiedTable[] = [];
    const add = (one: CopiedTable): void => {
      copied.push(one);
      onTable?.(one);
    };
    for (const table of tables) add({ table, rows: await copyTable(source, client, table) });
    if (rooms !== null) for (const one of await copyRooms(source, client, rooms)) add(one);
    await refuseFilled(client, ['files'], name);
    for (const [root, folder] of Object.entries(folders)) {
      const { files } = await copyBytes(folder, bytesInTransaction(client, root));
      if (files > 0) add({ table: `files of ${root}`, rows: files });
    }
    await client.query('COMMIT');
    return copied;
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new SvcError('STORE_FAILED', `${file} was not copied to ${name}, which is as it was: ${cause}`, {}, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
    source.close();
    await store.close();
  }
}

/** Opens a file to read. A read-only connection would leave its side files behind when it is closed. */
function openToRead(file: string): DatabaseSync {
  refuseOtherKindSync(file);
  const source = new DatabaseSync(file, { timeout: 5_000 });
  source.exec('PRAGMA query_only = ON');
  return source;
}

/** The tables of the file; one that others refer to is before them. */
function parentsFirst(source: DatabaseSync): readonly string[] {
  const names = source.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`).all();
  const left = new Map(
    names.map(({ name }) => {
      const parents = source.prepare(`SELECT DISTINCT "table" AS parent FROM pragma_foreign_key_list(?)`).all(name ?? null);
      return [String(name), parents.map(({ parent }) => String(parent))];
    }),
  );
  const ordered: string[] = [];
  while (left.size > 0) {
    const free = [...left].filter(([name, parents]) => parents.every((parent) => parent === name || !left.has(parent)));
    if (free.length === 0) throw new Error(`tables that refer to each other: ${[...left.keys()].join(', ')}`);
    for (const [name] of free) {
      ordered.push(name);
      left.delete(name);
    }
  }
  return ordered;
}

/** A counter that has counted nothing is made with its table. */
export async function refuseFilled(client: ClientBase, tables: readonly string[], name: string): Promise<void> {
  await client.query('DELETE FROM counters WHERE n = 0');
  for (const table of tables) {
    const { rows } = await client.query<{ readonly is: boolean }>(`SELECT EXISTS (SELECT FROM "${table}") AS is`);
    if (rows[0]?.is === true)
      throw new SvcError('CONFLICT', `the database ${name} has rows in ${table} already: a store is copied into an empty one only`);
  }
}

/** Answers with the number of rows, which is the same in both. */
async function copyTable(source: DatabaseSync, client: ClientBase, table: string): Promise<number> {
  const columns = source.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  const list = columns.map(({ name }) => `"${String(name)}"`).join(', ');
  const insert = `INSERT INTO "${table}" (${list}) SELECT ${list} FROM json_populate_recordset(NULL::"${table}", $1)`;
  const { expected } = source.prepare(`SELECT count(*) AS expected FROM "${table}"`).get() as { readonly expected: number };
  let batch: Record<string, SQLOutputValue>[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await client.query(insert, [JSON.stringify(batch, storable)]);
    batch = [];
  };
  for (const row of source.prepare(`SELECT * FROM "${table}"`).iterate()) {
    batch.push(row);
    if (batch.length === limits.storeCopyRowsMax) await flush();
  }
  await flush();
  await goOnCounting(client, table);
  const { rows } = await client.query<{ readonly found: number }>(`SELECT count(*) AS found FROM "${table}"`);
  if (rows[0]?.found !== expected) throw new Error(`${table} has ${expected} rows, and ${rows[0]?.found} arrived`);
  return expected;
}

/** None when the store knows no rooms and has no file for them. */
async function copyRooms(source: DatabaseSync, client: ClientBase, file: string): Promise<readonly CopiedTable[]> {
  const stored = source.prepare('SELECT value FROM named_values WHERE name = ?').get(roomLogName)?.['value'] ?? null;
  const hasRooms = source.prepare('SELECT 1 FROM rooms LIMIT 1').get() !== undefined;
  if (!hasRooms && !existsSync(file)) return [];
  const trouble = hasRooms ? roomLogTrouble(file, stored === null ? null : String(stored)) : null;
  if (trouble !== null) throw new Error(trouble);
  const { bases, rows } = await copyDocuments(file, client);
  return [
    { table: 'room_bases', rows: bases },
    { table: 'room_tails', rows },
  ];
}

const storable = (_: string, value: unknown): unknown => (typeof value === 'string' ? storedText(value) : value);

/** The next row that is given a number by the database gets one after those that came. */
export async function goOnCounting(client: ClientBase, table: string): Promise<void> {
  const { rows } = await client.query<{ readonly column: string; readonly sequence: string }>(
    `SELECT attname AS column, pg_get_serial_sequence(quote_ident($1), attname) AS sequence
      FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''`,
    [table],
  );
  for (const { column, sequence } of rows)
    await client.query(`SELECT setval($1, coalesce((SELECT max("${column}") FROM "${table}"), 0) + 1, false)`, [sequence]);
}
