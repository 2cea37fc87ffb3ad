/**
 * Connection and retries of every query to PostgreSQL: a connection of the pool, and patience with a server that is away or with another
 * portal that was in the way. Decision: docs/decisions/0280-one-store-two-databases.md
 */
import type { ClientBase, Pool, PoolClient } from 'pg';
import { pause, type Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';

export async function withClient<Result>(pool: Pool, use: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    const result = await use(client);
    client.release();
    return result;
  } catch (error) {
    // Only after a refusal by the database is the connection known to be good.
    client.release(isRefusal(error) ? undefined : (error as Error));
    throw error;
  }
}

/** SQLSTATE of five letters and digits: the database said no. */
export const isRefusal = (error: unknown): boolean => /^[0-9A-Z]{5}$/.test(codeOf(error)) && !isAway(error) && !isOutdated(error);

/** A newer portal added to a table that the connection has statements of: they are made anew on another one. */
const isOutdated = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery';

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Serialization failure and deadlock. */
export const isCollision = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

/**
 * The server is away, stops, starts, is a standby that is not promoted yet, has no connection free, or ended ours (also since this process did not
 * run for a while): later it may answer.
 */
const awayCodes: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25006',
  '25P03',
  '53300',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
]);

export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (awayCodes.has(code)) return true;
  if (/^E[A-Z]{3,}$/.test(code)) return true;
  const message = error instanceof Error ? error.message : '';
  return (
    code === '' &&
    /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      message,
    )
  );
}

/** Tries again what collided or had old statements, at once and then a little later, and what found the server away, for limits.storeAwayMsMax. */
export async function patiently<Result>(clock: Clock, run: () => Promise<Result>): Promise<Result> {
  const endMs = clock.monotonicMs() + limits.storeAwayMsMax;
  for (let tries = 0; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const isSoon = isCollision(error) || isOutdated(error);
      if (!isSoon && !isAway(error)) throw error;
      const pauseMs = isSoon ? Math.random() * Math.min(2 ** tries, 100) : Math.min(50 * 2 ** tries, 1_000);
      if (clock.monotonicMs() + pauseMs > endMs) throw error;
      await pause(clock, pauseMs);
    }
  }
}

export function storeError(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const cause = error instanceof Error ? error.message : String(error);
  const why = isAway(error) ? `the database does not answer: ${cause}` : `the store refused: ${cause}`;
  return new SvcError('STORE_FAILED', why, {}, { cause: error });
}

/** `mode`: as BEGIN has it. */
export async function inTransaction<Result>(client: ClientBase, act: () => Promise<Result>, mode = ''): Promise<Result> {
  await client.query(`BEGIN ${mode}`);
  try {
    const result = await act();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // On a connection that broke the database ends it by itself.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
