/**
 * Which portal leads: a row of the database with a number that grows with each change of hands. It is renewed every second by the clock of the
 * database, and is anybody's once it was not for five. Every write of the leader carries the number (postgres-sql.ts), so one that stood still and
 * comes back writes nothing. Decision: docs/decisions/0280-one-store-two-databases.md
 */
import type { Pool } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';

export interface Lease {
  readonly number: number;
  /** Rejects STATE_IN_USE when another portal holds it; never resolves. */
  readonly lost: Promise<never>;
  /** Gives it back: the next one need not wait. */
  release(): Promise<void>;
}

interface LeaseOptions {
  /** Who asks, for people: a host and a process. */
  readonly holder: string;
  readonly clock: Clock;
  /** Of the database, for messages. */
  readonly name: string;
}

/** Null: another portal that lives holds it. */
export async function tryLease(pool: Pool, options: LeaseOptions): Promise<Lease | null> {
  // To look costs no write; most of the time another one leads.
  const { rows } = await pool.query<{ readonly free: boolean }>(
    `SELECT until < clock_timestamp() AS free FROM leases WHERE name = 'leader'`,
  );
  const number = rows[0]?.free === false ? null : await tryTake(pool, options.holder);
  return number === null ? null : keep(pool, number, options);
}

/** Waits as long as a holder that was killed can still stand there. Rejects STATE_IN_USE when one that lives holds it. */
export async function takeLease(pool: Pool, { holder, clock, name }: LeaseOptions): Promise<Lease> {
  const endMs = clock.monotonicMs() + limits.leaseMs + 2 * limits.leaseRenewMs;
  let number = await tryTake(pool, holder);
  while (number === null) {
    if (clock.monotonicMs() > endMs) {
      const { rows } = await pool.query<{ readonly holder: string }>(`SELECT holder FROM leases WHERE name = 'leader'`);
      throw new SvcError('STATE_IN_USE', `another portal (${rows[0]?.holder ?? 'unknown'}) uses the store ${name}`);
    }
    await new Promise<void>((resolve) => clock.at(clock.monotonicMs() + limits.leaseRenewMs / 2, resolve));
    number = await tryTake(pool, holder);
  }
  return keep(pool, number, { holder, clock, name });
}

const msLater = (ms: number): string => `clock_timestamp() + interval '${ms} milliseconds'`;

async function tryTake(pool: Pool, holder: string): Promise<number | null> {
  const { rows } = await pool.query<{ readonly number: number }>(
    `INSERT INTO leases VALUES ('leader', $1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, ${msLater(limits.leaseMs)}) ON CONFLICT (name) DO UPDATE SET
       holder = excluded.holder, number = greatest(leases.number + 1, excluded.number), until = excluded.until WHERE leases.until < clock_timestamp() RETURNING number`,
    [holder],
  );
  return rows[0]?.number ?? null;
}

function keep(pool: Pool, number: number, { clock, name }: LeaseOptions): Lease {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  let cancel = (): void => undefined;
  let isOver = false;
  const renew = async (): Promise<void> => {
    // What the database does not answer changes nothing: whether another one leads is known from it alone.
    const answer = await pool
      .query(`UPDATE leases SET until = ${msLater(limits.leaseMs)} WHERE name = 'leader' AND number = $1`, [number])
      .catch(() => null);
    if (isOver) return;
    if (answer?.rowCount === 0) return reject(deposed(name));
    arm();
  };
  const arm = (): void => {
    cancel = clock.at(clock.monotonicMs() + limits.leaseRenewMs, () => void renew());
  };
  arm();
  return {
    number,
    lost,
    release: async () => {
      isOver = true;
      cancel();
      await pool.query(`UPDATE leases SET until = '-infinity' WHERE name = 'leader' AND number = $1`, [number]).catch(() => undefined);
    },
  };
}

export const deposed = (name: string): SvcError =>
  new SvcError('STATE_IN_USE', `another portal took the store ${name} over while this one did not renew its lease`);
