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
import { changeHistory, forgetWriter, putName, readNames, readPieceBytes, readPieces } from './history/postgres-history.ts';
import { compactAnyway, type HistoryOutline, type HistoryPlan, isOutdated, planHistory, spansOf, type Written } from './history/rewrite.ts';
import { packNames, versionsOf } from './history/spans.ts';
import type { WholeHistory } from './history/view.ts';
import type { CompactedWithHistory, ReadDocument, ReadPieces } from './room-compact-thread.ts';
import { describeBase, joined } from './room-log-database.ts';
import type { CompactedRoom, HistoryRule, LoggedBase, LogRow, RoomKey, RoomLog } from './room-log.ts';
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
  const compact = async (key: RoomKey, rule: HistoryRule): Promise<CompactedRoom | null> => {
    const held = await heldOf([key.sala]);
    const read = await asked((client) => snapshot(client, () => readForCompaction(client, key, rule)));
    if (read === null) return null;
    const { document, plan, pieces } = read;
    const moved = [...buffersOf([document]), ...pieces.map(({ piece }) => piece.buffer)];
    const { history, ...made } = (await compactor.ask({ kind: 'compact-read', document, plan, pieces }, moved)) as CompactedWithHistory;
    const kept = await asked((client) =>
      inTransaction(client, async () => {
        const deleted = await refuseTaken(client, owners.portal, held);
        if (deleted.size > 0) return false;
        if (!isOutdated(history, await readNames(client, key)) && (await rebase(client, key, made)))
          await changeHistory(client, key, made.seq, history);
        return true;
      }),
    );
    return kept ? made : null;
  };
  const { end, ...history } = openHistory(asked);
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
    compact: (key, rule) => compactAnyway(rule, (tried) => compact(key, tried)),
    ...history,
    release: (sala) => owners.release(sala),
    // Deletes the room whoever holds it: it is gone for all, and no later write of its holder is accepted.
    deleteRoom: async (sala) => {
      await asked((client) => inTransaction(client, () => remove(client, sala)));
    },
    sizeOf: async (...salas) => {
      const { rows } = await asked(async (client) => await client.query<{ readonly bytes: number }>(size, [salas]));
      return rows[0]?.bytes ?? 0;
    },
    close: async () => {
      await Promise.all([compactor.end(), end()]);
    },
  };
}

type HistoryOfLog = Pick<RoomLog, 'versions' | 'version' | 'revert' | 'nameVersion' | 'forgetWriter' | 'attachmentsIn'> & {
  readonly end: () => Promise<void>;
};

/** Any portal may ask, also one that does not have the room. */
function openHistory(asked: <Result>(act: (client: PoolClient) => Promise<Result>) => Promise<Result>): HistoryOfLog {
  // Whoever looks at versions keeps no compaction waiting.
  const viewer = createCompactor(null, { idleMs: limits.roomViewIdleMs });
  const whole = async (key: RoomKey): Promise<WholeHistory> =>
    await asked((client) =>
      snapshot(client, async () => {
        const pieces = await readPieces(client, key);
        return {
          ...withoutWriters(await readDocument(client, key)),
          pieces: await readPieceBytes(
            client,
            key,
            pieces.map(({ seq }) => seq),
          ),
        };
      }),
    );
  return {
    versions: async (key) => {
      viewer.warm();
      const outline = await asked((client) => snapshot(client, () => readOutline(client, key)));
      return versionsOf(spansOf(outline), outline.names);
    },
    version: async (key, seq, form) =>
      (await viewer.askInTurn(async () => ({ kind: 'version-read', history: await whole(key), seq, form }))) as Uint8Array | null,
    revert: async (key, seq) =>
      (await viewer.askInTurn(async () => ({ kind: 'revert-read', history: await whole(key), seq }))) as Uint8Array | null,
    nameVersion: async (key, seq, name) => {
      return await asked((client) =>
        inTransaction(client, async () => await putName(client, key, await readOutline(client, key), { seq, name })),
      );
    },
    forgetWriter: async (person) => {
      await asked((client) => inTransaction(client, () => forgetWriter(client, person)));
    },
    attachmentsIn: async (sala) => {
      const documents = await asked((client) => snapshot(client, () => readRoom(client, sala)));
      return (await viewer.ask({ kind: 'attachments-read', documents }, buffersOf(documents))) as ReadonlySet<string>;
    },
    end: () => viewer.end(),
  };
}

/** Everything that a compaction needs; null: there is no row. */
async function readForCompaction(
  client: ClientBase,
  key: RoomKey,
  rule: HistoryRule,
): Promise<{ readonly document: ReadDocument; readonly plan: HistoryPlan; readonly pieces: ReadPieces<ArrayBuffer> } | null> {
  const stored = await readDocument(client, key);
  if (stored.rows.length === 0) return null;
  const pieces = await readPieces(client, key);
  const names = await readNames(client, key);
  const document = withoutWriters(stored);
  const plan = planHistory({ baseSeq: document.baseSeq, written: stored.written, pieces, names }, rule);
  return {
    document,
    plan,
    pieces: await readPieceBytes(
      client,
      key,
      plan.puts.flatMap((put) => put.pieces),
    ),
  };
}

async function readOutline(client: ClientBase, key: RoomKey): Promise<HistoryOutline> {
  const { sala, canal } = key;
  const based = await client.query<{ readonly seq: number }>('SELECT seq FROM room_bases WHERE sala = $1 AND canal = $2', [sala, canal]);
  const baseSeq = based.rows[0]?.seq ?? 0;
  const { rows: written } = await client.query<Written>(
    'SELECT at_ms AS "atMs", who FROM room_tails WHERE sala = $1 AND canal = $2 AND seq > $3 ORDER BY seq',
    [sala, canal, baseSeq],
  );
  return { baseSeq, written, pieces: await readPieces(client, key), names: await readNames(client, key) };
}

/** Rows in one memory, so that a thread can be given it. */
function withoutWriters({ base, rows, seq }: StoredDocument): ReadDocument {
  const whole = joined(rows);
  let at = 0;
  return { base: base?.base ?? null, baseSeq: base?.seq ?? 0, rows: rows.map(({ length }) => whole.subarray(at, (at += length))), seq };
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
  readonly written: readonly Written[];
  readonly seq: number;
}

/** The whole document or an error: a hole in the tail is damage, not less text. */
async function readDocument(client: ClientBase, { sala, canal }: RoomKey): Promise<StoredDocument> {
  const found = await readBase(client, { sala, canal });
  const baseSeq = found?.seq ?? 0;
  const tail = await client.query<Written & { readonly seq: number; readonly frames: Buffer }>({
    name: 'room-tail',
    text: 'SELECT seq, frames, at_ms AS "atMs", who FROM room_tails WHERE sala = $1 AND canal = $2 AND seq > $3 ORDER BY seq',
    values: [sala, canal, baseSeq],
  });
  for (const [index, { seq }] of tail.rows.entries()) {
    if (seq !== baseSeq + index + 1)
      throw new SvcError('STORE_FAILED', `row ${baseSeq + index + 1} of ${sala}/${canal} is missing in the database`);
  }
  const written = tail.rows.map(({ atMs, who }) => ({ atMs, who }));
  return { base: found, rows: tail.rows.map(({ frames }) => frames), written, seq: baseSeq + tail.rows.length };
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

async function readRoom(client: ClientBase, sala: string): Promise<readonly (ReadDocument & { readonly pieces: ReadPieces })[]> {
  const documents: (ReadDocument & { readonly pieces: ReadPieces })[] = [];
  for (const canal of canais) {
    const key = { sala, canal };
    const seqs = (await readPieces(client, key)).map(({ seq }) => seq);
    documents.push({ ...withoutWriters(await readDocument(client, key)), pieces: await readPieceBytes(client, key, seqs) });
  }
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
  readonly times: readonly number[];
  readonly writers: readonly string[];
  /** Behind one another. A copy: the rows may change after the call. */
  readonly bytes: Buffer;
}

const pack = (rows: readonly LogRow[]): Packed => ({
  salas: rows.map(({ sala }) => sala),
  canais: rows.map(({ canal }) => canal),
  seqs: rows.map(({ seq }) => seq),
  lengths: rows.map(({ frames }) => frames.length),
  times: rows.map(({ atMs = 0 }) => atMs),
  writers: rows.map(({ who = [] }) => packNames(who)),
  bytes: Buffer.concat(rows.map(({ frames }) => frames)),
});

const given = `(SELECT sala, canal, seq, substring($5::bytea FROM (sum(length) OVER (ORDER BY n) - length + 1)::integer FOR length) AS frames, at_ms, who
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::integer[], $7::bigint[], $8::text[])
      WITH ORDINALITY AS t (sala, canal, seq, length, at_ms, who, n)) AS given
  WHERE given.sala <> ALL ($6::text[])`;

/** Rows that are there already are left; one that is there with other bytes is refused. */
async function insert(client: ClientBase, rows: Packed, deleted: ReadonlySet<string>): Promise<void> {
  const values = [rows.salas, rows.canais, rows.seqs, rows.lengths, rows.bytes, [...deleted], rows.times, rows.writers];
  const text = `INSERT INTO room_tails (sala, canal, seq, frames, at_ms, who) SELECT sala, canal, seq, frames, at_ms, who FROM ${given} ON CONFLICT (sala, canal, seq) DO NOTHING`;
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

async function rebase(client: ClientBase, { sala, canal }: RoomKey, { base, vector, deletes, seq }: CompactedRoom): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO room_bases AS b (sala, canal, seq, base, vector, deletes) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sala, canal) DO UPDATE
       SET seq = excluded.seq, base = excluded.base, vector = excluded.vector, deletes = excluded.deletes WHERE b.seq < excluded.seq`,
    [sala, canal, seq, ...[base, vector, deletes].map(asBuffer)],
  );
  if (rowCount === 0) return false;
  await client.query('DELETE FROM room_tails WHERE sala = $1 AND canal = $2 AND seq <= $3', [sala, canal, seq]);
  return true;
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

async function remove(client: ClientBase, sala: string): Promise<void> {
  await client.query('INSERT INTO deleted_rooms VALUES ($1) ON CONFLICT (room) DO NOTHING', [sala]);
  // Waits for a write that is under way.
  await client.query('DELETE FROM room_owners WHERE sala = $1', [sala]);
  for (const table of ['room_bases', 'room_tails', 'room_history', 'room_version_names'])
    await client.query(`DELETE FROM ${table} WHERE sala = $1`, [sala]);
}

const size = `SELECT ((SELECT coalesce(sum(octet_length(base)), 0) FROM room_bases WHERE sala = ANY ($1::text[]))
  + (SELECT coalesce(sum(octet_length(frames)), 0) FROM room_tails WHERE sala = ANY ($1::text[]))
  + (SELECT coalesce(sum(octet_length(piece)), 0) FROM room_history WHERE sala = ANY ($1::text[]))) AS bytes`;
