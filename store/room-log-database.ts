/** The file of the room log: its shape, and how one document is read from it. Used by the two threads behind sqlite-room-log.ts. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deletesAsUpdate, encodeVector, knowsNothing, learn, scanUpdate } from '../schema/crdt/update.ts';
import { SvcError } from '../schema/errors.ts';
import { ensurePlainFileSync } from '../schema/plain-file.ts';
import type { Written } from './history/rewrite.ts';
import type { LoggedBase, RoomKey } from './room-log.ts';

const schema = `
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY, sala TEXT NOT NULL, canal TEXT NOT NULL,
    base_seq INTEGER NOT NULL DEFAULT 0, base BLOB, UNIQUE (sala, canal)
  ) STRICT;
  CREATE TABLE tail (
    document INTEGER NOT NULL, seq INTEGER NOT NULL, frames BLOB NOT NULL, PRIMARY KEY (document, seq)
  ) STRICT, WITHOUT ROWID;`;

/** Since version 2. `who`: names between blanks (history/spans.ts). */
const history = `
  ALTER TABLE tail ADD COLUMN at_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tail ADD COLUMN who TEXT NOT NULL DEFAULT '';
  CREATE TABLE history (
    document INTEGER NOT NULL, seq INTEGER NOT NULL, since_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL, who TEXT NOT NULL, piece BLOB NOT NULL,
    PRIMARY KEY (document, seq)
  ) STRICT;
  CREATE TABLE version_names (document INTEGER NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (document, seq)) STRICT, WITHOUT ROWID;`;

/** Steps of the shape of the file: step n brings `user_version` from n to n + 1. */
export const roomLogSteps: readonly string[] = [schema, history];

const schemaVersion = roomLogSteps.length;

/** Creates the file, 0600, or checks that it is ours. A commit is on the disk when it returns (synchronous = FULL). */
export function openRoomDatabase(file: string): DatabaseSync {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  ensurePlainFileSync(file, 0o600);
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;');
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version > schemaVersion) {
      throw new SvcError(
        'STORE_NEWER',
        `the room log ${file} has schema ${version}, this svc knows ${schemaVersion}: run the newer svc, or put back a backup of before it (svc restore)`,
      );
    }
    const steps = roomLogSteps.slice(version);
    if (steps.length > 0) database.exec(`BEGIN IMMEDIATE; ${steps.join('')} PRAGMA user_version = ${schemaVersion}; COMMIT;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export interface StoredDocument {
  readonly id: number;
  readonly base: Uint8Array | null;
  readonly baseSeq: number;
  readonly rows: readonly Uint8Array[];
  /** When and by whom each row was written. */
  readonly written: readonly Written[];
  readonly seq: number;
}

/** Reads whole documents or throws: a hole in the tail is damage, not less text. Null: never written to. */
export function documentReader(database: DatabaseSync): (key: RoomKey) => StoredDocument | null {
  const document = database.prepare('SELECT id, base_seq, base FROM documents WHERE sala = ? AND canal = ?');
  // A snapshot may be of before rows said who wrote them.
  const hasWriters = (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version > 1;
  const columns = hasWriters ? 'at_ms AS atMs, who' : "0 AS atMs, '' AS who";
  const tail = database.prepare(`SELECT seq, frames, ${columns} FROM tail WHERE document = ? AND seq > ? ORDER BY seq`);
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  const read = ({ sala, canal }: RoomKey): StoredDocument | null => {
    const found = document.get(sala, canal) as { id: number; base_seq: number; base: Uint8Array | null } | undefined;
    if (!found) return null;
    if (found.base === null && found.base_seq !== 0) throw new Error(`the base of ${sala}/${canal} is missing`);
    const rows = tail.all(found.id, found.base_seq) as unknown as readonly (Written & {
      readonly seq: number;
      readonly frames: Uint8Array;
    })[];
    for (const [index, { seq }] of rows.entries()) {
      if (seq !== found.base_seq + index + 1) throw new Error(`row ${found.base_seq + index + 1} of ${sala}/${canal} is missing`);
    }
    return {
      id: found.id,
      base: found.base,
      baseSeq: found.base_seq,
      rows: rows.map(({ frames }) => frames),
      written: rows.map(({ atMs, who }) => ({ atMs, who })),
      seq: found.base_seq + rows.length,
    };
  };
  return (key) => {
    begin.run();
    try {
      return read(key);
    } finally {
      commit.run();
    }
  };
}

/** Summary of a base. Throws when it is damaged. */
export function describeBase(base: Uint8Array | null): Pick<LoggedBase, 'vector' | 'deletes'> & { readonly structs: number } {
  const known = knowsNothing();
  let structs = 0;
  if (base !== null) {
    const scan = scanUpdate(base, undefined, null, false);
    if (!scan) throw new Error('the base of a document is damaged');
    learn(known, scan);
    structs = scan.structs;
  }
  return { structs, vector: encodeVector(known), deletes: deletesAsUpdate(known) };
}

/** Joins the parts into a single copy in its own memory, so that it can be handed to another thread. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
