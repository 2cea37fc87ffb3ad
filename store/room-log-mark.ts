/**
 * The store and the room log belong together: both hold the same random id. A room log that is missing, empty, damaged or another portal's
 * while the store knows rooms would show every document blank, and the next word typed would hide for good what a backup still has. So the rooms
 * stay shut until an administrator restores the file or says that the loss is accepted. Decision: docs/decisions/0141-databases-that-go-while-in-use.md
 */
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../schema/errors.ts';
import { openRoomDatabase } from './room-log-database.ts';
import { roomLogName as name } from './room-log-move.ts';
import type { RoomLog } from './room-log.ts';
import { openSqliteRoomLog } from './sqlite-room-log.ts';
import type { Store } from './store.ts';

export interface MarkedRoomLog {
  readonly log: RoomLog;
  /** Why no room can be entered; null: all is well. */
  readonly trouble: string | null;
  /** Rooms whose documents are there and of which the store knows nothing: it was lost, or is an older one. They are kept. */
  readonly unknownRooms: number;
  /** Where the file went whose loss was accepted; null: there was nothing to accept. */
  readonly setAside: string | null;
}

export interface MarkedRoomLogOptions {
  readonly file: string;
  /** The administrator makes it; it counts once. */
  readonly acceptLossFile: string;
  readonly store: Pick<Store, 'value' | 'putValue'> & { readonly rooms: Pick<Store['rooms'], 'hasRooms' | 'room' | 'wasDeleted'> };
  readonly nowMs: number;
}

/** State of a file by its own marks. `blank`: nothing was ever written to it. `unknown`: it can't be read now, which says nothing of what it holds. */
interface Found {
  readonly kind: 'missing' | 'blank' | 'damaged' | 'unknown' | 'ours';
  readonly id: string | null;
  /** For `unknown` only. */
  readonly why?: string;
}

/** Call it before anything can make a room. Rejects only with STORE_NEWER, and when the store itself fails. */
export async function openMarkedRoomLog(options: MarkedRoomLogOptions): Promise<MarkedRoomLog> {
  const { file, acceptLossFile, store, nowMs } = options;
  const stored = await store.value(name);
  let found = inspect(file);
  let trouble = (await store.rooms.hasRooms()) || ['damaged', 'unknown'].includes(found.kind) ? troubleOf(file, stored, found) : null;
  let setAside: string | null = null;
  // The loss of a file that may be whole is not accepted.
  if (trouble !== null && found.kind !== 'unknown' && existsSync(acceptLossFile)) {
    setAside = `${file}.lost-${nowMs}`;
    for (const suffix of ['-wal', '-shm', '']) if (existsSync(file + suffix)) renameSync(file + suffix, setAside + suffix);
    [found, trouble] = [{ kind: 'missing', id: null }, null];
  }
  if (trouble !== null) return { log: shutLog(trouble), trouble, unknownRooms: 0, setAside };
  try {
    const id = found.id ?? randomUUID();
    mark(file, id);
    await store.putValue(name, id);
    const log = await openSqliteRoomLog(file);
    rmSync(acceptLossFile, { force: true });
    return { log, trouble, unknownRooms: await countUnknown(file, store.rooms), setAside };
  } catch (error) {
    if (error instanceof SvcError && error.code === 'STORE_NEWER') throw error;
    const why = `the room log ${file} can't be opened: ${(error as Error).message}`;
    return { log: shutLog(why), trouble: why, unknownRooms: 0, setAside };
  }
}

/** Why the documents of a store that knows rooms can't be taken from this file; null: they can. Changes nothing. */
export const roomLogTrouble = (file: string, stored: string | null): string | null => troubleOf(file, stored, inspect(file));

/** Null: the file is the store's. A store that has no id yet takes any file that a portal wrote, once. */
function troubleOf(file: string, stored: string | null, found: Found): string | null {
  if (found.kind === 'missing') return `the store knows rooms, and their documents, ${file}, are missing`;
  if (found.kind === 'blank') return `the store knows rooms, and their documents, ${file}, are an empty file`;
  if (found.kind === 'damaged') return `the documents of rooms, ${file}, are damaged: no database can be read there`;
  if (found.kind === 'unknown') return `the documents of rooms, ${file}, can't be read now: ${found.why}`;
  if (stored === null || stored === found.id) return null;
  return `the documents of rooms, ${file}, are not those of this store`;
}

/** Changes nothing. */
function inspect(file: string): Found {
  let database: DatabaseSync | null = null;
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return { kind: 'missing', id: null };
    database = new DatabaseSync(file, { timeout: 5_000 });
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version === 0) return { kind: 'blank', id: null };
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'mark'").get();
    const row = table && (database.prepare('SELECT id FROM mark').get() as { id: string } | undefined);
    return { kind: 'ours', id: row?.id ?? null };
  } catch (error) {
    // SQLITE_CORRUPT and SQLITE_NOTADB; all else is of the disk, of rights, or of another process.
    const isDamaged = [11, 26].includes(Number((error as { readonly errcode?: number }).errcode) & 0xff);
    return isDamaged ? { kind: 'damaged', id: null } : { kind: 'unknown', id: null, why: (error as Error).message };
  } finally {
    database?.close();
  }
}

async function countUnknown(file: string, rooms: Pick<Store['rooms'], 'room' | 'wasDeleted'>): Promise<number> {
  const database = new DatabaseSync(file, { timeout: 5_000, readOnly: true });
  try {
    const all = database.prepare('SELECT DISTINCT sala FROM documents').all() as { sala: string }[];
    let unknown = 0;
    for (const { sala } of all) if ((await rooms.room(sala)) === null && !(await rooms.wasDeleted(sala))) unknown += 1;
    return unknown;
  } finally {
    database.close();
  }
}

/** Before the store has it: after a crash in between the store takes it from here. */
function mark(file: string, id: string): void {
  const database = openRoomDatabase(file);
  try {
    database.exec('CREATE TABLE IF NOT EXISTS mark (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT');
    database.prepare('INSERT INTO mark VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET id = excluded.id').run(id);
  } finally {
    database.close();
  }
}

/**
 * Log of a file that can't be read or written: the relay closes every room with 1011, and the collection of attachments leaves all alone.
 */
function shutLog(why: string): RoomLog {
  const refuse = (): Promise<never> => Promise.reject(new SvcError('STORE_FAILED', why));
  return {
    load: refuse,
    append: refuse,
    compact: refuse,
    release: refuse,
    deleteRoom: refuse,
    sizeOf: refuse,
    attachmentsIn: refuse,
    versions: refuse,
    version: refuse,
    revert: refuse,
    nameVersion: refuse,
    forgetWriter: refuse,
    close: async () => undefined,
  };
}
