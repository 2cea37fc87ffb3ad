/** The store in PostgreSQL, beside whichever portals use it. */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PostgresPlace } from '../postgres-hosts.ts';
import { postgresMigrations, readableFrom } from '../postgres-migrations.ts';
import { openPools } from '../postgres-pools.ts';
import { standingOf } from '../postgres-schema.ts';
import { lookWith, type StoreLook } from './look.ts';

/** Rejects STORE_FAILED. */
export async function lookAtPostgres(place: PostgresPlace, clock: Clock): Promise<StoreLook> {
  const pools = await openPools(place, clock);
  try {
    const client = await pools.pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { version, readableFrom: needed } = await standingOf(client);
      const ask = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;
      const tables = await ask('SELECT tablename AS name FROM pg_tables WHERE schemaname = ANY (current_schemas(false))');
      return await lookWith(ask, {
        schema: version,
        steps: postgresMigrations,
        isReadable: needed <= postgresMigrations.length,
        mayGoBack: readableFrom <= version,
        tables: tables.map(({ name }) => String(name)),
      });
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
      client.release();
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError('STORE_FAILED', `the store ${place.name} can't be read: ${(error as Error).message}`, {}, { cause: error });
  } finally {
    await pools.end().catch(() => undefined);
  }
}
