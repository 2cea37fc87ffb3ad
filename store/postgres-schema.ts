/**
 * The tables of a database, brought up to date by the first portal that comes, while older ones may run. An older portal goes on with steps
 * that add; steps that remove wait until no older one is left. Decision: docs/decisions/0310-what-a-rolling-upgrade-promises.md
 */
import type { ClientBase, Pool } from 'pg';
import { pause, type Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';
import { alone } from './postgres-alone.ts';
import { postgresMigrations, readableFrom } from './postgres-migrations.ts';
import { inTransaction, isCollision, patiently, storeError } from './postgres-patience.ts';

export interface StoreSchema {
  readonly steps: readonly string[];
  /** A portal that knows so many of them, or more, works with the tables that all of them make. */
  readonly readableFrom: number;
}

const own: StoreSchema = { steps: postgresMigrations, readableFrom };

interface Standing {
  /** Steps that were done. */
  readonly version: number;
  readonly readableFrom: number;
}

/** Changes nothing. Rejects STORE_FAILED when the tables are older than this svc, STORE_NEWER when it can't read them. */
export async function refuseOther(pool: Pool, name: string, schema: StoreSchema = own): Promise<void> {
  const found = await standingOf(pool);
  if (found.version < schema.steps.length)
    throw new SvcError('STORE_FAILED', `the store ${name} does not have the tables of this svc yet: svc up makes them`);
  refuseNewer(found, name, schema);
}

/** Rejects STORE_NEWER when this svc can't read the tables, STATE_IN_USE when portals live that could not read those of this one. */
export async function migrate(
  pool: Pool,
  { clock, name, schema = own }: { readonly clock: Clock; readonly name: string; readonly schema?: StoreSchema },
): Promise<void> {
  await alone(pool, clock, async (client) => {
    await client.query('CREATE TABLE IF NOT EXISTS svc_schema (version BIGINT NOT NULL)');
    // Written by portals since 0310; those before know of no other than their own.
    await client.query('ALTER TABLE svc_schema ADD COLUMN IF NOT EXISTS readable_from BIGINT');
    const found = await standingOf(client);
    refuseNewer(found, name, schema);
    if (found.version > 0 && found.version < schema.readableFrom) await untilAlone(client, clock, name);
    for (const [done, step] of schema.steps.entries()) if (done >= found.version) await take(client, clock, { done, step, schema });
    // Removes rows of writers that ended; a commit in question was written a moment ago.
    await client.query(`DELETE FROM last_writes WHERE changed < clock_timestamp() - interval '1 day'`);
    if (found.version === schema.steps.length)
      await client.query('UPDATE svc_schema SET readable_from = $1 WHERE readable_from IS DISTINCT FROM $1', [schema.readableFrom]);
  });
}

/** Runs a single step, whole or not at all; queries of other portals meanwhile wait, or run anew. */
async function take(
  client: ClientBase,
  clock: Clock,
  { done, step, schema }: { readonly done: number; readonly step: string; readonly schema: StoreSchema },
): Promise<void> {
  const values = [done + 1, Math.min(schema.readableFrom, done + 1)];
  const run = async (): Promise<void> => {
    await client.query(`SET LOCAL statement_timeout = ${limits.storeStepMsMax}`);
    await client.query({ text: step, query_timeout: limits.storeStepMsMax } as { readonly text: string });
    await client.query('DELETE FROM svc_schema');
    await client.query('INSERT INTO svc_schema (version, readable_from) VALUES ($1, $2)', values);
  };
  await patiently(clock, async () => {
    await inTransaction(client, run).catch((error: unknown) => {
      // With a connection that broke the turn of this portal is over.
      throw isCollision(error) ? error : storeError(error);
    });
  });
}

function refuseNewer(found: Standing, name: string, { steps }: StoreSchema): void {
  if (found.readableFrom <= steps.length) return;
  const needed = found.readableFrom < found.version ? `, and ${found.readableFrom} are needed` : '';
  throw new SvcError(
    'STORE_NEWER',
    `the store ${name} has schema ${found.version}, this svc knows ${steps.length}${needed}: run the newer svc, or name another database, empty, and put a backup of before it there (svc restore)`,
  );
}

export async function standingOf(database: Pool | ClientBase): Promise<Standing> {
  if (!(await exists(database, 'svc_schema'))) return { version: 0, readableFrom: 0 };
  // An older svc made the table without the second column.
  const { rows } = await database.query<{ readonly version: number; readonly from: number | null }>(
    `SELECT version, (to_jsonb(s) ->> 'readable_from')::bigint AS from FROM svc_schema s`,
  );
  const version = rows[0]?.version ?? 0;
  return { version, readableFrom: rows[0]?.from ?? version };
}

async function exists(database: Pool | ClientBase, table: string): Promise<boolean> {
  const { rows } = await database.query<{ readonly is: boolean }>('SELECT to_regclass($1) IS NOT NULL AS is', [table]);
  return rows[0]?.is === true;
}

/** Waits for portals of an older svc: a newer one would have brought the tables up to date. A killed portal's row stays for a moment. */
async function untilAlone(client: ClientBase, clock: Clock, name: string): Promise<void> {
  const endMs = clock.monotonicMs() + limits.leaseMs + 2 * limits.leaseRenewMs;
  for (;;) {
    const holders = await livingHolders(client);
    if (holders.length === 0) return;
    if (clock.monotonicMs() > endMs)
      throw new SvcError(
        'STATE_IN_USE',
        `the store ${name} is used by portals of an older svc, which can't go on with the tables of this one: end them first (${holders.join('; ')})`,
      );
    await pause(clock, limits.leaseRenewMs / 2);
  }
}

async function livingHolders(client: ClientBase): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const table of ['leases', 'portals']) {
    if (!(await exists(client, table))) continue;
    const { rows } = await client.query<{ readonly holder: string }>(`SELECT holder FROM ${table} WHERE until > clock_timestamp()`);
    for (const { holder } of rows) found.add(holder);
  }
  return [...found];
}
