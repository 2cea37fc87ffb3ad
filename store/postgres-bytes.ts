/**
 * Bytes in the database that portals share, in pieces behind each other: a file is its row, and what of it is on the disk is what the row counts.
 * Contract: bytes.ts. Decision: docs/decisions/0302-bytes-of-the-store.md
 */
import { Readable } from 'node:stream';
import type { ClientBase, Pool } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import type { Bytes, Growing, OpenBytes } from './bytes.ts';
import { limits } from './limits.ts';
import { inTransaction, patiently, storeError, withClient } from './postgres-patience.ts';

/** Asks on a connection. */
type Ask = <Result>(act: (client: ClientBase) => Promise<Result>) => Promise<Result>;

interface FileRow {
  readonly id: number;
  readonly bytes: number;
  readonly changedMs: number;
}

/** `root`: what its folders stand below, beside those of others. */
export function createPostgresBytes(pool: Pool, clock: Clock, root: string): Bytes {
  const ask: Ask = async (act) => {
    try {
      return await patiently(clock, async () => await withClient(pool, act));
    } catch (error) {
      throw (error as { readonly code?: unknown }).code === diskFull
        ? new SvcError('DISK_FULL', 'no space is left on the disk of the database')
        : storeError(error);
    }
  };
  return bytesOn(ask, root);
}

/** Within the transaction that the connection is in: all of it is there when that is committed. */
export function bytesInTransaction(client: ClientBase, root: string): Bytes {
  return bytesOn(async (act) => await act(client), root);
}

function bytesOn(ask: Ask, root: string): Bytes {
  const folderOf = (folder: string): string => `${root}/${folder}`;
  return {
    open: async (folder, name) => {
      const found = await ask(async (client) => await client.query<FileRow>(one, [folderOf(folder), name]));
      const [row] = found.rows;
      return row === undefined ? null : opened(ask, row);
    },
    grow: async (folder, name) => {
      const made = await ask(async (client) => await client.query<FileRow>(make, [folderOf(folder), name]));
      return growing(ask, made.rows[0]!);
    },
    rename: async (folder, from, to) => {
      await ask(async (client) => await inTransaction(client, () => rename(client, folderOf(folder), from, to)));
    },
    remove: async (folder, name) => {
      await ask(async (client) => await client.query('DELETE FROM files WHERE folder = $1 AND name = $2', [folderOf(folder), name]));
    },
    removeFolder: async (folder) => {
      await ask(
        async (client) => await client.query(`DELETE FROM files WHERE folder = $1 OR starts_with(folder, $1 || '/')`, [folderOf(folder)]),
      );
    },
    list: async (folder) => {
      const { rows } = await ask(
        async (client) =>
          await client.query<{ readonly name: string; readonly modifiedMs: number }>(
            `SELECT name, ${changedMs} AS "modifiedMs" FROM files WHERE folder = $1 ORDER BY name`,
            [folderOf(folder)],
          ),
      );
      return rows;
    },
    folders: async () => {
      const { rows } = await ask(
        async (client) =>
          await client.query<{ readonly folder: string }>(
            `SELECT DISTINCT split_part(substring(folder FROM length($1) + 2), '/', 1) AS folder FROM files WHERE starts_with(folder, $1 || '/')`,
            [root],
          ),
      );
      return rows.map(({ folder }) => folder);
    },
    freeBytes: async () => Infinity,
  };
}

/** SQLSTATE of a full disk. */
const diskFull = '53100';
const changedMs = '(extract(epoch FROM changed) * 1000)::bigint';
const one = `SELECT id, bytes, ${changedMs} AS "changedMs" FROM files WHERE folder = $1 AND name = $2`;
const make = `INSERT INTO files (folder, name) VALUES ($1, $2) ON CONFLICT (folder, name) DO UPDATE SET name = excluded.name
  RETURNING id, bytes, ${changedMs} AS "changedMs"`;

async function rename(client: ClientBase, folder: string, from: string, to: string): Promise<void> {
  const { rows } = await client.query<FileRow>(`${one} FOR UPDATE`, [folder, from]);
  if (rows[0] === undefined) {
    // Said a second time after an answer that got lost, it was done the first time.
    const there = await client.query(one, [folder, to]);
    if (there.rows.length === 0) throw new SvcError('NOT_FOUND', 'it was removed meanwhile');
    return;
  }
  await client.query('DELETE FROM files WHERE folder = $1 AND name = $2', [folder, to]);
  await client.query('UPDATE files SET name = $2, changed = clock_timestamp() WHERE id = $1', [rows[0].id, to]);
}

function growing(ask: Ask, { id, bytes }: FileRow): Growing {
  let written = bytes;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async (): Promise<void> => {
    const piece = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    for (let at = 0; at < piece.length; at += limits.storedPieceBytesMax) {
      const part = piece.subarray(at, at + limits.storedPieceBytesMax);
      await ask(async (client) => await add(client, id, written, part));
      written += part.length;
    }
  };
  return {
    size: () => written + waitingBytes,
    write: async (more) => {
      // A copy: the caller may use its memory again.
      waiting.push(Uint8Array.from(more));
      waitingBytes += more.length;
      if (waitingBytes >= limits.storedPieceBytesMin) await flush();
    },
    close: flush,
  };
}

/** Appends a piece at the end of the file; all or nothing. */
async function add(client: ClientBase, id: number, at: number, piece: Uint8Array): Promise<void> {
  const { rowCount } = await client.query(
    `WITH grown AS (UPDATE files SET bytes = bytes + $3, changed = clock_timestamp() WHERE id = $1 AND bytes = $2 RETURNING id)
       INSERT INTO file_pieces SELECT id, $2, $4::bytea FROM grown`,
    [id, at, piece.length, piece],
  );
  if (rowCount === 1) return;
  const { rows } = await client.query<{ readonly same: boolean }>(
    'SELECT piece = $3::bytea AS same FROM file_pieces WHERE file = $1 AND at = $2',
    [id, at, piece],
  );
  // Added before, and the answer got lost.
  if (rows[0]?.same === true) return;
  throw new SvcError('CONFLICT', 'these bytes come from somebody else, too, or were removed: begin again');
}

function opened(ask: Ask, { id, bytes, changedMs: modifiedMs }: FileRow): OpenBytes {
  return {
    bytes,
    modifiedMs,
    read: ({ start = 0, end = bytes - 1 } = {}) =>
      Readable.from(piecesOf(ask, id, start, Math.min(end, bytes - 1) + 1), { objectMode: false }),
    close: async () => undefined,
  };
}

/** From `start` to before `end`. */
async function* piecesOf(ask: Ask, id: number, start: number, end: number): AsyncGenerator<Uint8Array> {
  let at = start;
  while (at < end) {
    const from = at;
    const { rows } = await ask(
      async (client) =>
        await client.query<{ readonly at: number; readonly piece: Buffer }>(pieces, [id, from - limits.storedPieceBytesMax, from, end]),
    );
    for (const row of rows) {
      if (row.at > at) break;
      const part = row.piece.subarray(at - row.at, end - row.at);
      at += part.length;
      yield part;
    }
    if (at === from) throw new SvcError('STORE_FAILED', 'a file of the store was removed while it was read');
  }
}

const pieces = `SELECT at, piece FROM file_pieces WHERE file = $1 AND at > $2 AND at < $4 AND at + octet_length(piece) > $3 ORDER BY at LIMIT 4`;
