/**
 * Which portal leads: a row of the database with a number that grows with each change of hands. It is renewed every second by the clock of the
 * database, and is anybody's once it was not for three. Every write of the leader carries the number (postgres-sql.ts), so one that stood still and
 * comes back writes nothing. A standby that was promoted may have an older row: the highest number counts, and is written down there again.
 * Decisions: docs/decisions/0280-one-store-two-databases.md, docs/decisions/0307-when-a-standby-is-promoted.md
 */
import type { Pool } from 'pg';
import { pause, type Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';

export interface Lease {
  readonly number: number;
  /** Name of the holder, for people. */
  readonly holder: string;
  /** Rejects STATE_IN_USE when another portal holds it; never resolves. */
  readonly lost: Promise<never>;
  /**
   * Resolves while nobody else can lead; waits for the database when that is not known. Rejects STATE_IN_USE when another portal leads, STORE_FAILED when
   * the database does not answer. Decision: docs/decisions/0303-a-lease-that-may-be-over.md
   */
  held(): Promise<void>;
  /** Gives it back: the next one need not wait. */
  release(): Promise<void>;
}

interface LeaseOptions {
  /** Name of this process, for people: a host and a process. */
  readonly holder: string;
  readonly clock: Clock;
  /** Name of the database, for messages. */
  readonly name: string;
  /** The highest number that was seen here. */
  readonly seen: { number: number };
}

/** Null: another portal that lives holds it. */
export async function tryLease(pool: Pool, options: LeaseOptions): Promise<Lease | null> {
  // To look costs no write; most of the time another one leads.
  const { rows } = await pool.query<{ readonly free: boolean; readonly number: number }>(
    `SELECT until < clock_timestamp() AS free, number FROM leases WHERE name = 'leader'`,
  );
  options.seen.number = Math.max(options.seen.number, rows[0]?.number ?? 0);
  if (rows[0]?.free === false) return null;
  const askedMs = options.clock.monotonicMs();
  const number = await tryTake(pool, options);
  return number === null ? null : keep(pool, { number, askedMs }, options);
}

/** Waits as long as a holder that was killed can still stand there. Rejects STATE_IN_USE when one that lives holds it. */
export async function takeLease(pool: Pool, options: LeaseOptions): Promise<Lease> {
  const { clock, name } = options;
  const endMs = clock.monotonicMs() + limits.leaseMs + 2 * limits.leaseRenewMs;
  let askedMs = clock.monotonicMs();
  let number = await tryTake(pool, options);
  while (number === null) {
    if (clock.monotonicMs() > endMs) {
      const { rows } = await pool.query<{ readonly holder: string }>(`SELECT holder FROM leases WHERE name = 'leader'`);
      throw new SvcError(
        'STATE_IN_USE',
        `another portal (${rows[0]?.holder ?? 'unknown'}) uses the store ${name}: end it, or start this one beside it with --join HOST:PORT`,
      );
    }
    await pause(clock, limits.leaseRenewMs / 2);
    askedMs = clock.monotonicMs();
    number = await tryTake(pool, options);
  }
  return keep(pool, { number, askedMs }, options);
}

const msLater = (ms: number): string => `clock_timestamp() + interval '${ms} milliseconds'`;

/** Higher than any before it, also than one that the database forgot. */
async function tryTake(pool: Pool, { holder, seen }: LeaseOptions): Promise<number | null> {
  const { rows } = await pool.query<{ readonly number: number }>(
    `INSERT INTO leases VALUES ('leader', $1, greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint, $2::bigint + 1), ${msLater(limits.leaseMs)})
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, number = greatest(leases.number + 1, excluded.number), until = excluded.until
       WHERE leases.until < clock_timestamp() RETURNING number`,
    [holder, seen.number],
  );
  return rows[0]?.number ?? null;
}

/** A row with a lower number is of a database that forgot this one. */
const renewal = `UPDATE leases SET holder = $2, number = $1, until = ${msLater(limits.leaseMs)}
  WHERE name = 'leader' AND (number < $1 OR (number = $1 AND holder = $2))`;

interface Taken {
  readonly number: number;
  /** When the database was asked for it, by the clock of this portal: it is over no earlier than leaseMs after. */
  readonly askedMs: number;
}

function keep(pool: Pool, { number, askedMs }: Taken, { holder, clock, name, seen }: LeaseOptions): Lease {
  seen.number = Math.max(seen.number, number);
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  let cancel = (): void => undefined;
  let isOver = false;
  let heldMs = askedMs + limits.leaseMs;
  const waiting = new Set<() => void>();
  const renew = async (): Promise<void> => {
    const renewedMs = clock.monotonicMs();
    // A database that does not answer changes nothing: only it knows whether another portal leads.
    const answer = await pool.query(renewal, [number, holder]).catch(() => null);
    if (isOver) return;
    if (answer?.rowCount === 0) return reject(deposed(name));
    if (answer !== null) heldMs = renewedMs + limits.leaseMs;
    if (isHeld()) for (const go of waiting) go();
    arm();
  };
  const isHeld = (): boolean => clock.monotonicMs() < heldMs - limits.leaseMarginMs;
  const untilHeld = async (): Promise<void> => {
    const { promise, resolve, reject: giveUp } = Promise.withResolvers<void>();
    const unknown = (): void =>
      giveUp(new SvcError('STORE_FAILED', `the database of ${name} does not answer: whether this portal still leads is not known`));
    const end = clock.at(clock.monotonicMs() + limits.leaseMs, unknown);
    waiting.add(resolve);
    await Promise.race([promise, lost]).finally(() => {
      waiting.delete(resolve);
      end();
    });
  };
  const arm = (): void => {
    cancel = clock.at(clock.monotonicMs() + limits.leaseRenewMs, () => void renew());
  };
  arm();
  return {
    number,
    holder,
    lost,
    held: async () => (isHeld() ? undefined : await untilHeld()),
    release: async () => {
      isOver = true;
      cancel();
      await pool.query(`UPDATE leases SET until = '-infinity' WHERE name = 'leader' AND number = $1`, [number]).catch(() => undefined);
    },
  };
}

export const deposed = (name: string): SvcError =>
  new SvcError('STATE_IN_USE', `another portal took the store ${name} over while this one did not renew its lease`);
