/**
 * The thread that owns the file of the room log: every write of it, and the reading of documents that are opened. The event loop of
 * the portal never waits for a disk. Requests are answered in the order in which they come.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseSync } from 'node:sqlite';
import type { Canal } from '../../schema/rooms.ts';
import { describeBase, documentReader, joined, openRoomDatabase } from './room-log-database.ts';
import type { LoggedRoom, RoomKey } from './room-log.ts';
import { answerRequests } from './room-thread-answers.ts';

/** Rows of one `append`, packed: where each one lies in `bytes`. */
export interface PackedRows {
  readonly rows: readonly { readonly sala: string; readonly canal: Canal; readonly seq: number; readonly to: number }[];
  readonly bytes: Uint8Array;
}

export type LogRequest =
  | { readonly kind: 'load'; readonly key: RoomKey }
  | { readonly kind: 'append'; readonly packed: PackedRows }
  | { readonly kind: 'rebase'; readonly key: RoomKey; readonly seq: number; readonly base: Uint8Array }
  | { readonly kind: 'delete'; readonly sala: string }
  | { readonly kind: 'size'; readonly sala: string }
  | { readonly kind: 'close' };

function openLog(database: DatabaseSync): (request: LogRequest) => unknown {
  const read = documentReader(database);
  const ids = new Map<string, number>();
  const deleted = new Set<string>();
  const insertDocument = database.prepare('INSERT OR IGNORE INTO documents (sala, canal) VALUES (?, ?)');
  const findDocument = database.prepare('SELECT id FROM documents WHERE sala = ? AND canal = ?');
  const insertRow = database.prepare('INSERT INTO tail VALUES (?, ?, ?)');
  const setBase = database.prepare('UPDATE documents SET base = ?, base_seq = ? WHERE id = ? AND base_seq < ?');
  const dropRows = database.prepare('DELETE FROM tail WHERE document = ? AND seq <= ?');
  const documents = database.prepare('SELECT id FROM documents WHERE sala = ?');
  const dropDocument = database.prepare('DELETE FROM documents WHERE id = ?');
  const size = database.prepare(
    `SELECT coalesce(sum(coalesce(length(base), 0) + (SELECT coalesce(sum(length(frames)), 0) FROM tail WHERE document = id)), 0) AS bytes
       FROM documents WHERE sala = ?`,
  );

  const transaction = <Result>(work: () => Result): Result => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      // Ids that the failed transaction had made are none.
      ids.clear();
      throw error;
    }
  };
  const idOf = ({ sala, canal }: RoomKey): number => {
    const name = `${sala}/${canal}`;
    let id = ids.get(name);
    if (id === undefined) {
      insertDocument.run(sala, canal);
      ({ id } = findDocument.get(sala, canal) as { id: number });
      ids.set(name, id);
    }
    return id;
  };
  const append = ({ rows, bytes }: PackedRows): void => {
    let from = 0;
    for (const { sala, canal, seq, to } of rows) {
      if (!deleted.has(sala)) insertRow.run(idOf({ sala, canal }), seq, bytes.subarray(from, to));
      from = to;
    }
  };
  const load = (key: RoomKey): LoggedRoom => {
    const stored = read(key);
    const base = stored?.base ?? null;
    return { base, ...describeBase(base), tail: joined(stored?.rows ?? []), seq: stored?.seq ?? 0 };
  };
  const remove = (sala: string): void => {
    for (const { id } of documents.all(sala) as { id: number }[]) {
      dropRows.run(id, Number.MAX_SAFE_INTEGER);
      dropDocument.run(id);
    }
  };
  const rebase = (key: RoomKey, seq: number, base: Uint8Array): void => {
    const found = findDocument.get(key.sala, key.canal) as { id: number } | undefined;
    if (!found || setBase.run(base, seq, found.id, seq).changes === 0) return;
    dropRows.run(found.id, seq);
  };

  return (request) => {
    switch (request.kind) {
      case 'load':
        return load(request.key);
      case 'append':
        return transaction(() => append(request.packed));
      case 'rebase':
        return transaction(() => rebase(request.key, request.seq, request.base));
      case 'delete':
        transaction(() => remove(request.sala));
        deleted.add(request.sala);
        for (const canal of ['documento', 'comentarios']) ids.delete(`${request.sala}/${canal}`);
        return null;
      case 'size':
        return (size.get(request.sala) as { bytes: number }).bytes;
      case 'close':
        try {
          database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        } catch {
          // On a full disk the write-ahead log simply stays.
        }
        database.close();
        return null;
    }
  };
}

if (parentPort) answerRequests(parentPort, () => openLog(openRoomDatabase((workerData as { file: string }).file)));
