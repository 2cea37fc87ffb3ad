/** History of documents in the file of the room log. Used by the two threads behind sqlite-room-log.ts. */
import type { DatabaseSync } from 'node:sqlite';
import { limits } from '../limits.ts';
import type { RoomKey } from '../room-log.ts';
import { type HistoryChange, isOutdated, keptOf, type KeptPiece, type PieceRow, spansOf, type Written } from './rewrite.ts';
import { type Names, packNames, type Version, versionsOf } from './spans.ts';

export interface HistoryReader {
  pieces(document: number): readonly KeptPiece[];
  names(document: number): Names;
  piece(document: number, seq: number): Uint8Array;
}

export function historyReader(database: DatabaseSync): HistoryReader {
  const pieces = database.prepare(
    'SELECT seq, since_ms AS sinceMs, until_ms AS untilMs, who, length(piece) AS bytes FROM history WHERE document = ? ORDER BY seq',
  );
  const names = database.prepare('SELECT seq, name FROM version_names WHERE document = ?');
  const piece = database.prepare('SELECT piece FROM history WHERE document = ? AND seq = ?');
  return {
    pieces: (document) => (pieces.all(document) as unknown as readonly PieceRow[]).map(keptOf),
    names: (document) => new Map((names.all(document) as { seq: number; name: string }[]).map(({ seq, name }) => [seq, name])),
    piece: (document, seq) => {
      const found = piece.get(document, seq) as { piece: Uint8Array } | undefined;
      if (found === undefined) throw new Error(`piece ${seq} of the history of document ${document} is missing`);
      return found.piece;
    },
  };
}

export interface HistoryChanges {
  isOutdated(document: number, change: HistoryChange): boolean;
  change(document: number, baseSeq: number, change: HistoryChange): void;
  versions(key: RoomKey): readonly Version[];
  nameVersion(key: RoomKey, seq: number, name: string | null): 'named' | 'gone' | 'full';
  forgetWriter(person: string): void;
  remove(document: number): void;
}

/** Writing functions run inside a transaction. */
export function historyChanges(database: DatabaseSync): HistoryChanges {
  const read = historyReader(database);
  const drop = database.prepare('DELETE FROM history WHERE document = ? AND seq = ?');
  const put = database.prepare('INSERT OR REPLACE INTO history (document, seq, since_ms, until_ms, who, piece) VALUES (?, ?, ?, ?, ?, ?)');
  // A version that was merged with a later one, or forgotten, has no name any more.
  const dropStale = database.prepare(
    'DELETE FROM version_names WHERE document = ?1 AND seq <= ?2 AND seq NOT IN (SELECT seq FROM history WHERE document = ?1)',
  );
  const find = database.prepare('SELECT id, base_seq AS baseSeq FROM documents WHERE sala = ? AND canal = ?');
  const rows = database.prepare('SELECT at_ms AS atMs, who FROM tail WHERE document = ? AND seq > ? ORDER BY seq');
  const setName = database.prepare(
    'INSERT INTO version_names VALUES (?, ?, ?) ON CONFLICT (document, seq) DO UPDATE SET name = excluded.name',
  );
  const dropName = database.prepare('DELETE FROM version_names WHERE document = ? AND seq = ?');
  const dropAll = ['history', 'version_names'].map((table) => database.prepare(`DELETE FROM ${table} WHERE document = ?`));
  const forget = ['history', 'tail'].map((table) =>
    database.prepare(
      `UPDATE ${table} SET who = CASE who WHEN ' ' || ?1 || ' ' THEN '' ELSE replace(who, ' ' || ?1 || ' ', ' ') END WHERE instr(who, ' ' || ?1 || ' ') > 0`,
    ),
  );

  const outline = (key: RoomKey) => {
    const found = find.get(key.sala, key.canal) as { id: number; baseSeq: number } | undefined;
    if (found === undefined) return null;
    const { id, baseSeq } = found;
    const written = rows.all(id, baseSeq) as unknown as readonly Written[];
    return { id, baseSeq, written, pieces: read.pieces(id), names: read.names(id) };
  };
  return {
    isOutdated: (document, change) => isOutdated(change, read.names(document)),
    change: (document, baseSeq, { drop: gone, puts }) => {
      for (const seq of gone) drop.run(document, seq);
      for (const { seq, sinceMs, untilMs, who, piece } of puts) put.run(document, seq, sinceMs, untilMs, packNames(who), piece);
      dropStale.run(document, baseSeq);
    },
    versions: (key) => {
      const found = outline(key);
      return found === null ? [] : versionsOf(spansOf(found), found.names);
    },
    nameVersion: (key, seq, name) => {
      const found = outline(key);
      if (found === null || !spansOf(found).some((span) => span.seq === seq)) return 'gone';
      if (name === null) dropName.run(found.id, seq);
      else if (!found.names.has(seq) && found.names.size >= limits.roomVersionNamesMax) return 'full';
      else setName.run(found.id, seq, name);
      return 'named';
    },
    forgetWriter: (person) => {
      for (const statement of forget) statement.run(person);
    },
    remove: (document) => {
      for (const statement of dropAll) statement.run(document);
    },
  };
}
