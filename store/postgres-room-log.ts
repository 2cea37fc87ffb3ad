/**
 * The room log in PostgreSQL: a document is opened by the portal that has its room (room-owners.ts), and every write carries the number
 * under which it was taken. A query that finds the database away is repeated unchanged: a row that is there already does nothing twice.
 * Contract: room-log.ts. Decision: docs/decisions/0296-a-room-has-one-portal.md
 */
import type { ClientBase, Pool, PoolClient } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { canais } from '../schema/rooms.ts';
import { limits } from './limits.ts';
import { inTransaction, patiently, storeError, withClient } from './postgres-patience.ts';
import type { ReadDocument } from './room-compact-thread.ts';
import { describeBase, joined } from './room-log-database.ts';
import type { CompactedRoom, LoggedBase, LogRow, RoomKey, RoomLog } from './room-log.ts';
import { refuseTaken, roomsElsewhere, type Held, type RoomOwners } from './room-owners.ts';
import { createCompactor } from './room-threads.ts';

export interface PostgresRoomLogDeps {
  readonly pool: Pool;
  readonly owners: RoomOwners;
  readonly clock: Clock;
}

export function openPostgresRoomLog({ pool, owners, clock }: PostgresRoomLogDeps): RoomLog {
  const compactor = createCompactor(null);
  const asked = async <Result>(act: (client: PoolClient) => Promise<Result>): Promise<Result> => {
    try {
      return await patiently(clock, async () => await withClient(pool, act));
    } catch (error) {
      throw storeError(error);
    }
  };
  /** Null: the room was deleted. Rejects ROOM_ELSEWHERE. */
  const ours = async (sala: string): Promise<Held | null> => {
    const taken = await owners.take(sala);
    if (taken.kind === 'elsewhere') throw roomsElsewhere([sala]);
    return taken.kind === 'ours' ? (owners.heldOf(sala) ?? null) : null;
  };
  /** Holds under which the rooms were taken here; a room that never was is taken now. */
  const heldOf = async (salas: Iterable<string>): Promise<ReadonlyMap<string, Held | null>> => {
    const held = new Map<string, Held | null>();
    for (const sala of new Set(salas)) held.set(sala, owners.heldOf(sala) ?? (await ours(sala)));
    return held;
  };
  return {
    load: async (key) => {
      await ours(key.sala);
      const { base, rows, seq } = await asked((client) => snapshot(client, () => readDocument(client, key)));
      const { vector, deletes } = base ?? describeBase(null);
      return { base: base?.base ?? null, vector, deletes, tail: joined(rows), seq };
    },
    append: async (rows) => {
      const packed = pack(rows);
      const held = await heldOf(packed.salas);
      await asked((client) =>
        inTransaction(client, async () => {
          const deleted = await refuseTaken(client, owners.portal, held);
          await insert(client, packed, deleted);
        }),
      );
    },
    compact: async (key) => {
      const held = await heldOf([key.sala]);
      const { base, rows, seq } = await asked((client) => snapshot(client, () => readDocument(client, key)));
      if (rows.length === 0) return null;
      const document: ReadDocument = { base: base?.base ?? null, rows: [joined(rows)], seq };
      const made = (await compactor.ask({ kind: 'compact-read', document }, buffersOf([document]))) as CompactedRoom;
      const kept = await asked((client) =>
        inTransaction(client, async () => {
          const deleted = await refuseTaken(client, owners.portal, held);
          if (deleted.size > 0) return false;
          await rebase(client, key, made);
          return true;
        }),
      );
      return kept ? made : null;
    },
    release: (sala) => owners.release(sala),
    // Deletes the room whoever holds it: it is gone for all, and no later write of its holder is accepted.
    deleteRoom: async (sala) => {
      await asked((client) => inTransaction(client, () => remove(client, sala)));
    },
    sizeOf: async (...salas) => {
      const { rows } = await asked(async (client) => await client.query<{ readonly bytes: number }>(size, [salas]));
      return rows[0]?.bytes ?? 0;
    },
    attachmentsIn: async (sala) => {
      const read = await asked((client) => snapshot(client, () => readRoom(client, sala)));
      const documents = read.map(({ base, rows, seq }): ReadDocument => ({ base: base?.base ?? null, rows: [joined(rows)], seq }));
      return (await compactor.ask({ kind: 'attachments-read', documents }, buffersOf(documents))) as ReadonlySet<string>;
    },
    close: () => compactor.end(),
  };
}

/** Base and tail as they were at one moment. */
const snapshot = <Result>(client: ClientBase, act: () => Promise<Result>): Promise<Result> =>
  inTransaction(client, act, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');

interface StoredBase extends LoggedBase {
  readonly base: Uint8Array;
  readonly seq: number;
}

interface StoredDocument {
  readonly base: StoredBase | null;
  readonly rows: readonly Uint8Array[];
  readonly seq: number;
}

/** The whole document or an error: a hole in the tail is damage, not less text. */
async function readDocument(client: ClientBase, { sala, canal }: RoomKey): Promise<StoredDocument> {
  const found = await readBase(client, { sala, canal });
  const baseSeq = found?.seq ?? 0;
  const tail = await client.query<{ readonly seq: number; readonly frames: Buffer }>({
    name: 'room-tail',
    text: 'SELECT seq, frames FROM room_tails WHERE sala = $1 AND canal = $2 AND seq > $3 ORDER BY seq',
    values: [sala, canal, baseSeq],
  });
  for (const [index, { seq }] of tail.rows.entries()) {
    if (seq !== baseSeq + index + 1)
      throw new SvcError('STORE_FAILED', `row ${baseSeq + index + 1} of ${sala}/${canal} is missing in the database`);
  }
  return { base: found, rows: tail.rows.map(({ frames }) => frames), seq: baseSeq + tail.rows.length };
}

/** In pieces: they come as digits, and the event loop is not held up for long by any of them. */
async function readBase(client: ClientBase, { sala, canal }: RoomKey): Promise<StoredBase | null> {
  const { rows } = await client.query<Omit<StoredBase, 'base'> & { readonly bytes: number }>({
    name: 'room-base',
    text: 'SELECT seq, vector, deletes, octet_length(base) AS bytes FROM room_bases WHERE sala = $1 AND canal = $2',
    values: [sala, canal],
  });
  const [found] = rows;
  if (found === undefined) return null;
  const { bytes, ...about } = found;
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes; at += limits.roomPieceBytes) {
    const piece = await client.query<{ readonly piece: Buffer }>({
      name: 'room-base-piece',
      text: 'SELECT substring(base FROM $3 FOR $4) AS piece FROM room_bases WHERE sala = $1 AND canal = $2',
      values: [sala, canal, at + 1, limits.roomPieceBytes],
    });
    pieces.push(piece.rows[0]?.piece ?? new Uint8Array());
  }
  return { ...about, base: joined(pieces) };
}

async function readRoom(client: ClientBase, sala: string): Promise<readonly StoredDocument[]> {
  const documents: StoredDocument[] = [];
  for (const canal of canais) documents.push(await readDocument(client, { sala, canal }));
  return documents;
}

/** Memory that is nobody else's goes to the thread without a copy. */
function buffersOf(documents: readonly ReadDocument[]): readonly ArrayBuffer[] {
  const parts = documents.flatMap(({ base, rows }) => (base === null ? rows : [base, ...rows]));
  return [...new Set(parts.filter(isWhole).map(({ buffer }) => buffer))];
}

const isWhole = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength > 0 && bytes.byteLength === bytes.buffer.byteLength;

interface Packed {
  readonly salas: readonly string[];
  readonly canais: readonly string[];
  readonly seqs: readonly number[];
  readonly lengths: readonly number[];
  /** Behind one another. A copy: the rows may change after the call. */
  readonly bytes: Buffer;
}

const pack = (rows: readonly LogRow[]): Packed => ({
  salas: rows.map(({ sala }) => sala),
  canais: rows.map(({ canal }) => canal),
  seqs: rows.map(({ seq }) => seq),
  lengths: rows.map(({ frames }) => frames.length),
  bytes: Buffer.concat(rows.map(({ frames }) => frames)),
});

const given = `(SELECT sala, canal, seq, substring($5::bytea FROM (sum(length) OVER (ORDER BY n) - length + 1)::integer FOR length) AS frames
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::integer[]) WITH ORDINALITY AS t (sala, canal, seq, length, n)) AS given
  WHERE given.sala <> ALL ($6::text[])`;

/** Rows that are there already are left; one that is there with other bytes is refused. */
async function insert(client: ClientBase, rows: Packed, deleted: ReadonlySet<string>): Promise<void> {
  const values = [rows.salas, rows.canais, rows.seqs, rows.lengths, rows.bytes, [...deleted]];
  const text = `INSERT INTO room_tails SELECT sala, canal, seq, frames FROM ${given} ON CONFLICT (sala, canal, seq) DO NOTHING`;
  const { rowCount } = await client.query({ name: 'room-append', text, values });
  if (rowCount === rows.salas.filter((sala) => !deleted.has(sala)).length) return;
  const other = await client.query<{ readonly sala: string; readonly seq: number }>(
    `SELECT given.sala, given.seq FROM ${given} AND EXISTS (SELECT FROM room_tails t
       WHERE t.sala = given.sala AND t.canal = given.canal AND t.seq = given.seq AND t.frames <> given.frames) LIMIT 1`,
    values,
  );
  const [first] = other.rows;
  if (first !== undefined) throw new SvcError('STORE_FAILED', `row ${first.seq} of ${first.sala} is in the database with other bytes`);
}

async function rebase(client: ClientBase, { sala, canal }: RoomKey, { base, vector, deletes, seq }: CompactedRoom): Promise<void> {
  const { rowCount } = await client.query(
    `INSERT INTO room_bases AS b (sala, canal, seq, base, vector, deletes) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sala, canal) DO UPDATE
       SET seq = excluded.seq, base = excluded.base, vector = excluded.vector, deletes = excluded.deletes WHERE b.seq < excluded.seq`,
    [sala, canal, seq, ...[base, vector, deletes].map(asBuffer)],
  );
  if (rowCount !== 0) await client.query('DELETE FROM room_tails WHERE sala = $1 AND canal = $2 AND seq <= $3', [sala, canal, seq]);
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

async function remove(client: ClientBase, sala: string): Promise<void> {
  await client.query('INSERT INTO deleted_rooms VALUES ($1) ON CONFLICT (room) DO NOTHING', [sala]);
  // Waits for a write that is under way.
  await client.query('DELETE FROM room_owners WHERE sala = $1', [sala]);
  for (const table of ['room_bases', 'room_tails']) await client.query(`DELETE FROM ${table} WHERE sala = $1`, [sala]);
}

const size = `SELECT ((SELECT coalesce(sum(octet_length(base)), 0) FROM room_bases WHERE sala = ANY ($1::text[]))
  + (SELECT coalesce(sum(octet_length(frames)), 0) FROM room_tails WHERE sala = ANY ($1::text[]))) AS bytes`;
