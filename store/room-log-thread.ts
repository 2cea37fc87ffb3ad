/**
 * The thread that owns the file of the room log: every write of it, and the reading of documents that are opened. The event loop of
 * the portal never waits for a disk. Requests are answered in the order in which they come.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseSync } from 'node:sqlite';
import { canais } from '../schema/rooms.ts';
import { historyChanges, type HistoryChanges } from './history/sqlite-history.ts';
import type { HistoryChange } from './history/rewrite.ts';
import { packNames } from './history/spans.ts';
import { createLastNames } from './last-names.ts';
import { limits } from './limits.ts';
import { describeBase, documentReader, joined, openRoomDatabase } from './room-log-database.ts';
import type { LoggedRoom, LogRow, RoomKey } from './room-log.ts';
import { mendedRows } from './room-mending.ts';
import { answerRequests } from './room-thread-answers.ts';

/** Rows of one `append`, packed: where each one lies in `bytes`, behind the one before. */
export interface PackedRows {
  readonly rows: readonly (Omit<LogRow, 'frames'> & { readonly to: number })[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The memory of what was written, given back once it is on the disk: nothing collects it in a thread that rests. */
export interface Appended {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type LogRequest =
  | { readonly kind: 'load'; readonly key: RoomKey }
  | { readonly kind: 'append'; readonly packed: PackedRows }
  | {
      readonly kind: 'rebase';
      readonly key: RoomKey;
      readonly seq: number;
      readonly base: Uint8Array<ArrayBuffer>;
      readonly history: HistoryChange;
    }
  | { readonly kind: 'versions'; readonly key: RoomKey }
  | { readonly kind: 'name'; readonly key: RoomKey; readonly seq: number; readonly name: string | null }
  | { readonly kind: 'forget'; readonly person: string }
  | { readonly kind: 'delete'; readonly sala: string }
  | { readonly kind: 'size'; readonly salas: readonly string[] }
  | { readonly kind: 'close' };

/** Everything that changes the file; each function runs inside a transaction. */
interface Changes {
  append(packed: PackedRows): void;
  rebase(key: RoomKey, seq: number, base: Uint8Array, history: HistoryChange): void;
  remove(sala: string): void;
  /** The transaction failed: ids that it had made are none. */
  undone(): void;
}

function openChanges(database: DatabaseSync, history: HistoryChanges): Changes {
  const ids = new Map<string, number>();
  const deleted = createLastNames(limits.roomLogNamesMax);
  const insertDocument = database.prepare('INSERT OR IGNORE INTO documents (sala, canal) VALUES (?, ?)');
  const findDocument = database.prepare('SELECT id FROM documents WHERE sala = ? AND canal = ?');
  // A row that was written although its answer got lost is sent again.
  const insertRow = database.prepare(
    'INSERT INTO tail (document, seq, frames, at_ms, who) VALUES (?, ?, ?, ?, ?) ON CONFLICT (document, seq) DO NOTHING',
  );
  const setBase = database.prepare('UPDATE documents SET base = ?, base_seq = ? WHERE id = ? AND base_seq < ?');
  const dropRows = database.prepare('DELETE FROM tail WHERE document = ? AND seq <= ?');
  const documents = database.prepare('SELECT id FROM documents WHERE sala = ?');
  const dropDocument = database.prepare('DELETE FROM documents WHERE id = ?');

  const idOf = ({ sala, canal }: RoomKey): number => {
    const name = `${sala}/${canal}`;
    let id = ids.get(name);
    if (id === undefined) {
      insertDocument.run(sala, canal);
      ({ id } = findDocument.get(sala, canal) as { id: number });
      if (ids.size >= limits.roomLogNamesMax) ids.clear();
      ids.set(name, id);
    }
    return id;
  };
  return {
    append: ({ rows, bytes }) => {
      let from = 0;
      for (const { sala, canal, seq, to, atMs = 0, who = [] } of rows) {
        if (!deleted.has(sala)) insertRow.run(idOf({ sala, canal }), seq, bytes.subarray(from, to), atMs, packNames(who));
        from = to;
      }
    },
    rebase: (key, seq, base, change) => {
      const found = findDocument.get(key.sala, key.canal) as { id: number } | undefined;
      if (!found || history.isOutdated(found.id, change) || setBase.run(base, seq, found.id, seq).changes === 0) return;
      dropRows.run(found.id, seq);
      history.change(found.id, seq, change);
    },
    remove: (sala) => {
      for (const { id } of documents.all(sala) as { id: number }[]) {
        dropRows.run(id, Number.MAX_SAFE_INTEGER);
        dropDocument.run(id);
        history.remove(id);
      }
      deleted.add(sala);
      for (const canal of canais) ids.delete(`${sala}/${canal}`);
    },
    undone: () => ids.clear(),
  };
}

function openLog(database: DatabaseSync): (request: LogRequest) => unknown {
  const read = documentReader(database);
  const history = historyChanges(database);
  const changes = openChanges(database, history);
  const size = database.prepare(
    `SELECT coalesce(sum(coalesce(length(base), 0) + (SELECT coalesce(sum(length(frames)), 0) FROM tail WHERE document = id)
       + (SELECT coalesce(sum(length(piece)), 0) FROM history WHERE document = id)), 0) AS bytes FROM documents WHERE sala = ?`,
  );
  const transaction = <Result>(work: () => Result): Result => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      changes.undone();
      throw error;
    }
  };
  const load = (key: RoomKey): LoggedRoom => {
    const stored = read(key);
    const { base, rows } = mendedRows(stored?.base ?? null, stored?.rows ?? []);
    return { base, ...describeBase(base), tail: joined(rows), seq: stored?.seq ?? 0 };
  };
  const close = (): null => {
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full disk the write-ahead log simply stays.
    }
    database.close();
    return null;
  };
  const answers: { readonly [Kind in LogRequest['kind']]: (request: Extract<LogRequest, { readonly kind: Kind }>) => unknown } = {
    load: ({ key }) => load(key),
    append: ({ packed }): Appended => {
      transaction(() => changes.append(packed));
      return { bytes: packed.bytes };
    },
    rebase: ({ key, seq, base, history: change }): Appended => {
      transaction(() => changes.rebase(key, seq, base, change));
      return { bytes: base };
    },
    versions: ({ key }) => history.versions(key),
    name: ({ key, seq, name }) => transaction(() => history.nameVersion(key, seq, name)),
    forget: ({ person }) => transaction(() => history.forgetWriter(person)),
    delete: ({ sala }) => transaction(() => changes.remove(sala)),
    size: ({ salas }) => salas.reduce((sum, sala) => sum + (size.get(sala) as { bytes: number }).bytes, 0),
    close,
  };
  return (request) => answers[request.kind](request as never);
}

if (parentPort) answerRequests(parentPort, () => openLog(openRoomDatabase((workerData as { file: string }).file)));
