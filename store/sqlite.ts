/**
 * The embedded store: one SQLite file in WAL mode (design 11). Writes of one event-loop turn share one transaction; a promise
 * resolves when its transaction is committed, so what was answered survives a kill -9 of the process. Statuses are read from
 * memory: the loop compares ten thousand of them per round.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../schema/errors.ts';
import { openAppErrors } from './sqlite-app-errors.ts';
import { openEvents } from './sqlite-events.ts';
import { openConsents } from './sqlite-consents.ts';
import { openInstalls } from './sqlite-installs.ts';
import { migrations } from './migrations.ts';
import { openJobs } from './sqlite-jobs.ts';
import { openPreferences } from './sqlite-preferences.ts';
import { openRoomStore } from './sqlite-room-store.ts';
import { openPasses, openSessions } from './sqlite-sessions.ts';
import { createTurnWriter, type TurnWriter } from './turn-writer.ts';
import type { Intent, Store, StoredStatus, WindowCount } from './store.ts';

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
    const statuses = openStatuses(database, writer);
    const rooms = openRoomStore(database, writer);
    return {
      ...openIntents(database, writer),
      ...statuses,
      ...openEvents(database, writer),
      ...openSessions(database, writer),
      ...openPasses(database, writer),
      ...openInstalls(database, writer),
      ...openPreferences(database, writer),
      ...openConsents(database, writer),
      ...openAppErrors(database, writer),
      ...openWindows(database, writer),
      ...openNames(database, writer),
      rooms,
      jobs: openJobs(database, writer),
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
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes: readonly unknown[] = [11, 26];

function storeFailed(file: string, cause: unknown): SvcError {
  const { message, errcode } = cause as Error & { readonly errcode?: unknown };
  const mend = damageCodes.includes(errcode)
    ? `; it is damaged: put it back from the backup of the state folder, save what can be read (sqlite3 ${file} .recover), or begin with an ` +
      `empty one, which keeps apps and rooms where they are but knows no sign-in and no room: mv ${file} ${file}.damaged; rm -f ${file}-wal ${file}-shm`
    : '';
  return new SvcError('STORE_FAILED', `the store ${file} can't be opened: ${message}${mend}`, {}, { cause });
}

/** Damage that is met later would end the portal in the middle of its work, again and again. */
function check(database: DatabaseSync): void {
  const { quick_check: verdict } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (verdict !== 'ok') throw Object.assign(new Error(verdict), { errcode: damageCodes[0] });
}

function migrate(database: DatabaseSync, file: string): void {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (row.user_version > migrations.length) {
    throw new SvcError(
      'STORE_NEWER',
      `the store ${file} has schema ${row.user_version}, this svc knows ${migrations.length}: run the newer svc, or another state folder`,
    );
  }
  for (let version = row.user_version; version < migrations.length; version += 1) {
    database.exec(`BEGIN IMMEDIATE; ${migrations[version]}; PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}

type IntentRow = { person: string; app: string; wish: string; by_whom: string; request_id: string; at_ms: number; done: number };

function intentOf(row: IntentRow): Intent {
  return {
    person: row.person,
    app: row.app,
    wish: row.wish as Intent['wish'],
    by: row.by_whom as Intent['by'],
    requestId: row.request_id,
    atMs: row.at_ms,
    done: row.done === 1,
  };
}

function openIntents(database: DatabaseSync, writer: TurnWriter): Pick<Store, 'putIntent' | 'intents' | 'intent' | 'finishIntent'> {
  const put = database.prepare(
    `INSERT INTO intents VALUES (?, ?, ?, ?, ?, ?, 0) ON CONFLICT (person, app) DO UPDATE SET
       wish = excluded.wish, by_whom = excluded.by_whom, request_id = excluded.request_id, at_ms = excluded.at_ms, done = 0`,
  );
  const finish = database.prepare('UPDATE intents SET done = 1 WHERE person = ? AND app = ? AND request_id = ?');
  const all = database.prepare('SELECT * FROM intents ORDER BY person, app');
  const one = database.prepare('SELECT * FROM intents WHERE person = ? AND app = ?');
  return {
    putIntent: (intent) =>
      writer.write(() => {
        put.run(intent.person, intent.app, intent.wish, intent.by, intent.requestId, intent.atMs);
      }),
    intents: async () => {
      writer.flush();
      return (all.all() as IntentRow[]).map(intentOf);
    },
    intent: async (person, app) => {
      writer.flush();
      const row = one.get(person, app) as IntentRow | undefined;
      return row ? intentOf(row) : null;
    },
    finishIntent: (person, app, requestId) =>
      writer.write(() => {
        finish.run(person, app, requestId);
      }),
  };
}

function openStatuses(database: DatabaseSync, writer: TurnWriter): Pick<Store, 'putStatus' | 'status' | 'statuses' | 'deleteStatus'> {
  const put = database.prepare(
    'INSERT INTO statuses VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body WHERE body IS NOT excluded.body',
  );
  const remove = database.prepare('DELETE FROM statuses WHERE key = ?');
  const one = database.prepare('SELECT body FROM statuses WHERE key = ?');
  const cache = new Map<string, StoredStatus>();
  for (const row of database.prepare('SELECT key, body FROM statuses').all() as { key: string; body: string }[]) {
    cache.set(row.key, JSON.parse(row.body) as StoredStatus);
  }
  /** After a failed write the memory must not claim what the disk doesn't hold. */
  const reread = (key: string): void => {
    const row = one.get(key) as { body: string } | undefined;
    if (row) cache.set(key, JSON.parse(row.body) as StoredStatus);
    else cache.delete(key);
  };
  return {
    putStatus: (status) => {
      cache.set(status.key, status);
      return writer.write(
        () => {
          put.run(status.key, JSON.stringify(status));
        },
        () => reread(status.key),
      );
    },
    status: async (key) => cache.get(key) ?? null,
    statuses: async (prefix) => {
      const found = [...cache.values()].filter((status) => status.key.startsWith(prefix));
      return found.sort((left, right) => (left.key < right.key ? -1 : 1));
    },
    deleteStatus: (key) => {
      cache.delete(key);
      return writer.write(
        () => {
          remove.run(key);
        },
        () => reread(key),
      );
    },
  };
}

type WindowRow = { person: string; app: string; open: number; zero_since_ms: number | null };

function windowsOf(row: WindowRow): WindowCount {
  return { person: row.person, app: row.app, open: row.open, zeroSinceMs: row.zero_since_ms };
}

function openWindows(database: DatabaseSync, writer: TurnWriter): Pick<Store, 'putWindows' | 'windows' | 'windowsOf'> {
  const put = database.prepare(
    `INSERT INTO windows VALUES (?, ?, ?, ?) ON CONFLICT (person, app) DO UPDATE SET
       open = excluded.open, zero_since_ms = excluded.zero_since_ms`,
  );
  const all = database.prepare('SELECT * FROM windows ORDER BY person, app');
  const one = database.prepare('SELECT * FROM windows WHERE person = ? AND app = ?');
  return {
    putWindows: (windows) =>
      writer.write(() => {
        put.run(windows.person, windows.app, windows.open, windows.zeroSinceMs);
      }),
    windows: async () => {
      writer.flush();
      return (all.all() as WindowRow[]).map(windowsOf);
    },
    windowsOf: async (person, app) => {
      writer.flush();
      const row = one.get(person, app) as WindowRow | undefined;
      return row ? windowsOf(row) : null;
    },
  };
}

function openNames(database: DatabaseSync, writer: TurnWriter): Pick<Store, 'inForce' | 'changeInForce' | 'value' | 'values' | 'putValue'> {
  const add = database.prepare(
    'INSERT INTO in_force VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET leaving = excluded.leaving, body = excluded.body',
  );
  const drop = database.prepare('DELETE FROM in_force WHERE name = ?');
  const all = database.prepare('SELECT name, leaving, body FROM in_force ORDER BY name');
  const put = database.prepare('INSERT INTO named_values VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value');
  const one = database.prepare('SELECT value FROM named_values WHERE name = ?');
  const many = database.prepare('SELECT name, value FROM named_values WHERE substr(name, 1, length(?)) = ?');
  return {
    inForce: async () => {
      writer.flush();
      const rows = all.all() as { name: string; leaving: number; body: string }[];
      return rows.map(({ name, leaving, body }) => ({ name, leaving: leaving === 1, body }));
    },
    changeInForce: ({ put: rows, gone }) =>
      writer.write(() => {
        for (const name of gone) drop.run(name);
        for (const { name, leaving, body } of rows) add.run(name, leaving ? 1 : 0, body);
      }),
    value: async (name) => {
      writer.flush();
      return (one.get(name) as { value: string } | undefined)?.value ?? null;
    },
    values: async (prefix) => {
      writer.flush();
      const rows = many.all(prefix, prefix) as { name: string; value: string }[];
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    putValue: (name, value) =>
      writer.write(() => {
        put.run(name, value);
      }),
  };
}
