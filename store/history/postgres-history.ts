/** History of documents in PostgreSQL. Used by postgres-room-log.ts, in its transactions. */
import type { ClientBase } from 'pg';
import { limits } from '../limits.ts';
import type { RoomKey } from '../room-log.ts';
import { type HistoryChange, type HistoryOutline, keptOf, type KeptPiece, type PieceRow, spansOf } from './rewrite.ts';
import { type Names, packNames } from './spans.ts';

export async function readPieces(client: ClientBase, { sala, canal }: RoomKey): Promise<readonly KeptPiece[]> {
  const { rows } = await client.query<PieceRow>(
    `SELECT seq, since_ms AS "sinceMs", until_ms AS "untilMs", who, octet_length(piece) AS bytes FROM room_history
       WHERE sala = $1 AND canal = $2 ORDER BY seq`,
    [sala, canal],
  );
  return rows.map(keptOf);
}

export async function readNames(client: ClientBase, { sala, canal }: RoomKey): Promise<Names> {
  const { rows } = await client.query<{ readonly seq: number; readonly name: string }>(
    'SELECT seq, name FROM room_version_names WHERE sala = $1 AND canal = $2',
    [sala, canal],
  );
  return new Map(rows.map(({ seq, name }) => [seq, name]));
}

/** In memory of their own, one after the other: a piece has no more bytes than a base. */
export async function readPieceBytes(
  client: ClientBase,
  { sala, canal }: RoomKey,
  seqs: readonly number[],
): Promise<readonly { readonly seq: number; readonly piece: Uint8Array<ArrayBuffer> }[]> {
  const pieces: { seq: number; piece: Uint8Array<ArrayBuffer> }[] = [];
  for (const seq of seqs) {
    const { rows } = await client.query<{ readonly piece: Buffer }>(
      'SELECT piece FROM room_history WHERE sala = $1 AND canal = $2 AND seq = $3',
      [sala, canal, seq],
    );
    if (rows[0] !== undefined) pieces.push({ seq, piece: new Uint8Array(rows[0].piece) });
  }
  return pieces;
}

export async function changeHistory(
  client: ClientBase,
  { sala, canal }: RoomKey,
  baseSeq: number,
  { drop, puts }: HistoryChange,
): Promise<void> {
  if (drop.length > 0)
    await client.query('DELETE FROM room_history WHERE sala = $1 AND canal = $2 AND seq = ANY ($3::bigint[])', [sala, canal, drop]);
  for (const { seq, sinceMs, untilMs, who, piece } of puts) {
    await client.query(
      `INSERT INTO room_history (sala, canal, seq, since_ms, until_ms, who, piece) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (sala, canal, seq) DO UPDATE SET since_ms = excluded.since_ms, until_ms = excluded.until_ms, who = excluded.who, piece = excluded.piece`,
      [sala, canal, seq, sinceMs, untilMs, packNames(who), Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)],
    );
  }
  // A version that was merged with a later one, or forgotten, has no name any more.
  await client.query(
    `DELETE FROM room_version_names n WHERE sala = $1 AND canal = $2 AND seq <= $3
       AND NOT EXISTS (SELECT FROM room_history h WHERE h.sala = n.sala AND h.canal = n.canal AND h.seq = n.seq)`,
    [sala, canal, baseSeq],
  );
}

export async function putName(
  client: ClientBase,
  { sala, canal }: RoomKey,
  outline: HistoryOutline,
  { seq, name }: { readonly seq: number; readonly name: string | null },
): Promise<'named' | 'gone' | 'full'> {
  if (!spansOf(outline).some((span) => span.seq === seq)) return 'gone';
  if (name === null) await client.query('DELETE FROM room_version_names WHERE sala = $1 AND canal = $2 AND seq = $3', [sala, canal, seq]);
  else if (!outline.names.has(seq) && outline.names.size >= limits.roomVersionNamesMax) return 'full';
  else {
    await client.query(
      'INSERT INTO room_version_names VALUES ($1, $2, $3, $4) ON CONFLICT (sala, canal, seq) DO UPDATE SET name = excluded.name',
      [sala, canal, seq, name],
    );
  }
  return 'named';
}

export async function forgetWriter(client: ClientBase, person: string): Promise<void> {
  for (const table of ['room_history', 'room_tails']) {
    await client.query(`UPDATE ${table} SET who = CASE who WHEN $1 THEN '' ELSE replace(who, $1, ' ') END WHERE strpos(who, $1) > 0`, [
      ` ${person} `,
    ]);
  }
}
