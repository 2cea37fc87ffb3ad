/**
 * The embedded store: one SQLite file in WAL mode. Writes of one event-loop turn share one transaction; a promise resolves when its
 * transaction is committed, so an acknowledged write survives a kill -9 of the process. Statuses are read from memory: each pass of the
 * loop compares ten thousand of them.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../schema/errors.ts';
import { ensurePlainFileSync } from '../schema/plain-file.ts';
import { migrations } from './migrations.ts';
import { sqliteSql } from './sqlite-sql.ts';
import { openTables } from './tables/all.ts';
import type { Store } from './store.ts';
import { createTurnWriter } from './turn-writer.ts';

/**
 * Opens or creates the store; the file and its side files are 0600. Rejects with STORE_NEWER when a newer svc wrote it and
 * with STORE_FAILED when it is no database or can't be opened.
 */
export async function openSqliteStore(file: string): Promise<Store> {
  const database = openDatabase(file);
  try {
    check(database);
    migrate(database, file);
    const writer = createTurnWriter(database);
    return {
      ...(await openTables(sqliteSql(database, writer))),
      giveUp: (why) => writer.giveUp(why),
      close: async () => {
        writer.flush();
        // SQLite would write as it closes, and delete by name what is no longer its own.
        if (writer.givenUp()) abandoned.add(database);
        else closeDatabase(database);
      },
    };
  } catch (error) {
    database.close();
    throw error instanceof SvcError ? error : storeFailed(file, error);
  }
}

function closeDatabase(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // On a full disk the write-ahead log simply stays: what is in it is committed. The cause of the end must not be hidden.
  }
  database.close();
}

/** Handles that must not be closed: a collected one would be. */
const abandoned = new Set<DatabaseSync>();

function openDatabase(file: string): DatabaseSync {
  try {
    if (file !== ':memory:') makePrivate(file);
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 });
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;');
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  } catch (error) {
    throw storeFailed(file, error);
  }
}

/** SQLite gives -wal and -shm the mode of the main file, so that one has to be right before it opens. */
function makePrivate(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  ensurePlainFileSync(file, 0o600);
}

/** SQLITE_BUSY and SQLITE_LOCKED. */
const busyCodes = new Set<unknown>([5, 6]);

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = new Set<unknown>([11, 26]);

function storeFailed(file: string, cause: unknown): SvcError {
  const { message, errcode } = cause as Error & { readonly errcode?: unknown };
  const mend = busyCodes.has(errcode)
    ? `: another program writes to it (fuser ${file} names its process): end it`
    : damageCodes.has(errcode)
      ? `; it is damaged: put it back from the backup of the state folder, save what can be read (sqlite3 ${file} .recover), or begin with an ` +
        `empty one, which keeps apps and rooms where they are but knows no sign-in and no room: mv ${file} ${file}.damaged; rm -f ${file}-wal ${file}-shm`
      : '';
  return new SvcError('STORE_FAILED', `the store ${file} can't be opened: ${message}${mend}`, {}, { cause });
}

/** Damage that is met later would end the portal in the middle of its work, again and again. */
function check(database: DatabaseSync): void {
  const { quick_check: verdict } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (verdict !== 'ok') throw Object.assign(new Error(verdict), { errcode: 11 });
}

function migrate(database: DatabaseSync, file: string): void {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (row.user_version > migrations.length) {
    throw new SvcError(
      'STORE_NEWER',
      `the store ${file} has schema ${row.user_version}, this svc knows ${migrations.length}: run the newer svc, or put back a backup of before it (svc restore FOLDER --over --yes), or name another state folder`,
    );
  }
  for (let version = row.user_version; version < migrations.length; version += 1) {
    database.exec(`BEGIN IMMEDIATE; ${migrations[version]}; PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}
