/**
 * Documents of rooms that lie in a file, put into PostgreSQL: all of them in the transaction of the caller, with counts compared. From then on the
 * store says that they are there (`roomLogName`), and no file is asked for.
 * Decision: docs/decisions/0297-rooms-move-into-the-database.md
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import type { Canal } from '../schema/rooms.ts';
import { changeHistory } from './history/postgres-history.ts';
import { historyReader } from './history/sqlite-history.ts';
import { describeBase, documentReader, openRoomDatabase } from './room-log-database.ts';
import type { RoomKey } from './room-log.ts';

/** Named value of the store: the id of the file with its documents, or that they are in its database. */
export const roomLogName = 'room-log-id';
export const inDatabase = 'database';

export interface MovedRooms {
  readonly documents: number;
  readonly bases: number;
  /** Rows of their tails. */
  readonly rows: number;
}

/** Nobody writes to the file. Rejects when a document of it is damaged, or when the counts differ. */
export async function copyDocuments(file: string, client: ClientBase): Promise<MovedRooms> {
  // Applies its write-ahead log, and refuses a newer one. A read-only connection would leave its side files behind.
  const source = openRoomDatabase(file);
  try {
    source.exec('PRAGMA query_only = ON');
    const read = documentReader(source);
    const keys = source.prepare('SELECT sala, canal FROM documents ORDER BY id').all() as { sala: string; canal: Canal }[];
    let [bases, rows] = [0, 0];
    for (const key of keys) {
      const document = read(key);
      if (document === null) continue;
      const at = [key.sala, key.canal];
      if (document.base !== null) {
        const { vector, deletes } = describeBase(document.base);
        const bytes = [document.base, vector, deletes].map((part) => Buffer.from(part));
        await client.query('INSERT INTO room_bases (sala, canal, seq, base, vector, deletes) VALUES ($1, $2, $3, $4, $5, $6)', [
          ...at,
          document.baseSeq,
          ...bytes,
        ]);
        bases += 1;
      }
      for (const [index, frames] of document.rows.entries())
        await client.query('INSERT INTO room_tails (sala, canal, seq, frames, at_ms, who) VALUES ($1, $2, $3, $4, $5, $6)', [
          ...at,
          document.baseSeq + index + 1,
          Buffer.from(frames),
          document.written[index]!.atMs,
          document.written[index]!.who,
        ]);
      rows += document.rows.length;
      await copyHistory(source, document.id, client, key);
    }
    await refuseDifferent(client, { bases, rows });
    await client.query('INSERT INTO named_values VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [
      roomLogName,
      inDatabase,
    ]);
    return { documents: keys.length, bases, rows };
  } finally {
    source.close();
  }
}

async function copyHistory(source: DatabaseSync, document: number, client: ClientBase, key: RoomKey): Promise<void> {
  const read = historyReader(source);
  for (const kept of read.pieces(document)) {
    const put = { ...kept, piece: read.piece(document, kept.seq) };
    await changeHistory(client, key, 0, { drop: [], puts: [put], named: [] });
  }
  for (const [seq, name] of read.names(document))
    await client.query('INSERT INTO room_version_names VALUES ($1, $2, $3, $4)', [key.sala, key.canal, seq, name]);
}

async function refuseDifferent(client: ClientBase, expected: { readonly bases: number; readonly rows: number }): Promise<void> {
  const { rows } = await client.query<{ readonly bases: number; readonly rows: number }>(
    'SELECT (SELECT count(*) FROM room_bases) AS bases, (SELECT count(*) FROM room_tails) AS rows',
  );
  const [found] = rows;
  if (found?.bases !== expected.bases || found.rows !== expected.rows)
    throw new Error(
      `rooms have ${expected.bases} bases and ${expected.rows} rows, and the database ${found?.bases} and ${found?.rows}: were some there before?`,
    );
}
