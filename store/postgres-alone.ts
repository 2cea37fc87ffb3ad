/**
 * Work that only one portal of a database does at a time: bringing its tables up to date, and moving the contents of a state folder into
 * it. The lock belongs to a connection, so it ends with a portal that is killed or stands still. Decision:
 * docs/decisions/0311-what-moves-into-the-database.md
 */
import type { Pool, PoolClient } from 'pg';
import { pause, type Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';

/** Any number that is ours alone in the database. */
const lock = 7_823_119;

/**
 * Waits for others that do such a thing. `act` writes on the connection that it is given, which is broken when this portal stood still and another one
 * went on. Rejects STORE_FAILED when another one does not end, and as `act` does.
 */
export async function alone<Result>(pool: Pool, clock: Clock, act: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let isOver = false;
  const ping = (): void => {
    if (isOver) return;
    client.query('SELECT 1').catch(() => undefined);
    clock.at(clock.monotonicMs() + limits.storeAloneQuietMsMax / 10, ping);
  };
  try {
    await client.query(`SET idle_session_timeout = ${limits.storeAloneQuietMsMax}`);
    await untilLocked(client, clock);
    ping();
    return await act(client);
  } finally {
    isOver = true;
    // The lock goes with it.
    client.release(true);
  }
}

async function untilLocked(client: PoolClient, clock: Clock): Promise<void> {
  const endMs = clock.monotonicMs() + limits.storeAloneMsMax;
  while (!(await tryLock(client))) {
    if (clock.monotonicMs() > endMs)
      throw new SvcError('STORE_FAILED', 'another portal has been bringing the tables up to date, or moving files into them, for too long');
    await pause(clock, limits.storeAloneLookMs);
  }
}

async function tryLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ readonly is: boolean }>('SELECT pg_try_advisory_lock($1) AS is', [lock]);
  return rows[0]?.is === true;
}
