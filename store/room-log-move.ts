/**
 * Documents of rooms that lie in a file, put into PostgreSQL: all of them in the transaction of the caller, with counts compared. From then on the
 * store says that they are there (`roomLogName`), and no file is asked for.
 * Decision: docs/decisions/0297-rooms-move-into-the-database.md
 */
import type { ClientBase } from 'pg';
import type { Canal } from '../schema/rooms.ts';
import { describeBase, documentReader, openRoomDatabase } from './room-log-database.ts';

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
        await client.query('INSERT INTO room_tails (sala, canal, seq, frames) VALUES ($1, $2, $3, $4)', [
          ...at,
          document.baseSeq + index + 1,
          Buffer.from(frames),
        ]);
      rows += document.rows.length;
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
