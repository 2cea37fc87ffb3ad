/**
 * The rows of a store in PostgreSQL as they were at one moment (REPEATABLE READ): a table is lines of JSON, cut into chunks after rows whose hash says so, so that one
 * row more changes one chunk. Restored into an empty database, in one transaction. Decision: docs/decisions/0405-objects-and-manifests.md
 */
import { hash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { goOnCounting, refuseFilled } from '../copy.ts';
import { limits } from '../limits.ts';
import type { PostgresPlace } from '../postgres-hosts.ts';
import { openPostgresStore } from '../postgres.ts';
import type { ChunkSink } from './chunks.ts';
import type { Entry } from './manifest.ts';

/** Tables about running portals, and about the tables themselves. */
const ofPortals: ReadonlySet<string> = new Set(['leases', 'portals', 'room_owners', 'last_writes', 'svc_schema']);

export interface TakenRows {
  readonly atMs: number;
  readonly schema: number;
  readonly entries: readonly Entry[];
}

/** A portal that leads goes on meanwhile. */
export async function takeRows(place: PostgresPlace, sink: ChunkSink, clock: Clock): Promise<TakenRows> {
  return await connected(place, { clock, holder: null, migrates: false }, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The moment is that of the first question.
    const schema = await schemaOf(client);
    const atMs = clock.nowMs();
    const entries: Entry[] = [];
    for (const table of await tablesOf(client)) {
      const { chunks, bytes } = await takeTable(client, table, sink);
      entries.push({ root: 'rows', path: table, bytes, mode: 0o600, modifiedMs: atMs, chunks });
    }
    await client.query('COMMIT');
    return { atMs, schema, entries };
  });
}

async function connected<Result>(
  place: PostgresPlace,
  options: { readonly clock: Clock; readonly holder: string | null; readonly migrates: boolean },
  act: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const store = await openPostgresStore(place, options);
  const client = store.pools.hosts.newClient();
  // A broken connection is reported by the query that fails on it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await store.pools.hosts.admit(client);
    // Between two rows their chunks are written: that takes as long as it takes.
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    return await act(client);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new SvcError('STORE_FAILED', `the rows of ${place.name}: ${cause}`, {}, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
    await store.close();
  }
}

async function schemaOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ readonly version: number }>('SELECT version::int AS version FROM svc_schema');
  return Number(rows[0]?.version);
}

/** Tables in order: a table that others refer to comes before them. */
async function tablesOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string; readonly parents: readonly string[] }>(
    `SELECT c.relname::text AS name, coalesce(array_agg(p.relname::text) FILTER (WHERE p.relname IS NOT NULL), '{}') AS parents
      FROM pg_class c LEFT JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid
      LEFT JOIN pg_class p ON p.oid = f.confrelid
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace GROUP BY c.relname ORDER BY c.relname`,
  );
  const left = rows.filter(({ name }) => !ofPortals.has(name));
  const ordered: string[] = [];
  while (left.length > 0) {
    const at = left.findIndex(({ parents }) => parents.every((parent) => ordered.includes(parent)));
    const [next] = left.splice(at, at === -1 ? 0 : 1);
    if (next === undefined) throw new Error(`tables that refer to each other: ${left.map(({ name }) => name).join(', ')}`);
    ordered.push(next.name);
  }
  return ordered;
}

async function takeTable(client: ClientBase, table: string, sink: ChunkSink): Promise<Pick<Entry, 'chunks' | 'bytes'>> {
  const key = await client.query<{ readonly list: string | null }>(
    `SELECT string_agg(quote_ident(attname), ', ' ORDER BY array_position(indkey::int[], attnum::int)) AS list
      FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey) WHERE indrelid = $1::regclass AND indisprimary`,
    [`"${table}"`],
  );
  const order = key.rows[0]?.list ?? null;
  await client.query(
    `DECLARE taken CURSOR FOR SELECT row_to_json(t)::text AS line FROM "${table}" t${order === null ? '' : ` ORDER BY ${order}`}`,
  );
  const chunks: string[] = [];
  let [lines, waiting, bytes] = [[] as string[], 0, 0];
  const cut = async (): Promise<void> => {
    if (lines.length > 0) chunks.push(await sink.put(Buffer.from(lines.join(''))));
    [lines, waiting] = [[], 0];
  };
  for (;;) {
    const { rows } = await client.query<{ readonly line: string }>(`FETCH ${limits.backupRowsMax} FROM taken`);
    if (rows.length === 0) break;
    for (const { line } of rows) {
      lines.push(`${line}\n`);
      waiting += line.length + 1;
      bytes += Buffer.byteLength(line) + 1;
      const isLong = waiting >= limits.backupPagesBytesMax;
      if (isLong || hash('sha256', line, 'hex').startsWith('00')) await cut();
    }
  }
  await cut();
  await client.query('CLOSE taken');
  return { chunks, bytes };
}

/** Rejects CONFLICT when the database has rows, STORE_NEWER or STORE_FAILED when the rows are of other tables than those of this svc. */
export async function restoreRows(
  place: PostgresPlace,
  { schema, entries }: { readonly schema: number; readonly entries: readonly Entry[] },
  { clock, holder, object }: { readonly clock: Clock; readonly holder: string; readonly object: (sha: string) => Promise<Buffer> },
): Promise<number> {
  return await connected(place, { clock, holder, migrates: true }, async (client) => {
    const own = await schemaOf(client);
    if (own !== schema)
      throw new SvcError(
        schema > own ? 'STORE_NEWER' : 'STORE_FAILED',
        `the rows of the snapshot are of tables ${schema}, those of this svc are ${own}: restore them with the svc that made it, and bring that up to date`,
      );
    await client.query('BEGIN');
    const tables = entries.filter(({ root }) => root === 'rows');
    await refuseFilled(
      client,
      tables.map((entry) => entry.path),
      place.name,
    );
    await client.query('DELETE FROM counters');
    let count = 0;
    for (const entry of tables) {
      for (const sha of entry.chunks)
        count += await insertLines(
          client,
          entry.path,
          String(await object(sha))
            .trimEnd()
            .split('\n'),
        );
      await goOnCounting(client, entry.path);
    }
    await client.query('COMMIT');
    return count;
  });
}

async function insertLines(client: ClientBase, table: string, lines: readonly string[]): Promise<number> {
  const columns = Object.keys(JSON.parse(lines[0] ?? '{}') as object)
    .map((name) => `"${name}"`)
    .join(', ');
  await client.query(`INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::"${table}", $1)`, [
    `[${lines.join(',')}]`,
  ]);
  return lines.length;
}
