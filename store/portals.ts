/**
 * The portals of one database: each has a row that it renews every second by the clock of the database, and that expires after three. Rooms
 * of an expired portal are anybody's (room-owners.ts); a portal that returns goes on with those that nobody took meanwhile. Decision:
 * docs/decisions/0296-a-room-has-one-portal.md
 */
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { limits } from './limits.ts';
import { patiently, storeError } from './postgres-patience.ts';

export interface Member {
  /** Id of the process: a portal that starts again has another one. */
  readonly id: string;
  /** For people: a host and a process. */
  readonly holder: string;
  /** Where the others reach it, as it said; '' when it takes nothing from others. */
  readonly address: string;
  readonly version: string;
  readonly startedMs: number;
  /** Since it renewed its row, by the clock of the database. */
  readonly quietMs: number;
  /** Names of servers that it does not reach. */
  readonly unreached: readonly string[];
}

export interface Membership {
  readonly id: string;
  /** At once, besides every second. Rejects STORE_FAILED; the row is then as it was. */
  renew(): Promise<void>;
  /** From now on it holds nothing: others need not wait. It does not reject. */
  leave(): Promise<void>;
}

export interface JoinOptions extends Pick<Member, 'holder' | 'address' | 'version'> {
  readonly clock: Clock;
  /** It was over, and is a member again: others may hold what it held. */
  readonly onLapsed: () => void;
}

const later = `clock_timestamp() + interval '${limits.memberMs} milliseconds'`;

/** Rejects STORE_FAILED. */
export async function joinPortals(pool: Pool, { clock, onLapsed, ...who }: JoinOptions): Promise<Membership> {
  const id = randomUUID();
  let isOver = false;
  let cancel = (): void => undefined;
  const write = async (): Promise<void> => {
    const { rows } = await pool.query<{ readonly lived: boolean | null }>(
      `INSERT INTO portals VALUES ($1, $2, $3, $4, clock_timestamp(), ${later}) ON CONFLICT (id) DO UPDATE SET until = excluded.until
         RETURNING (SELECT before.until > clock_timestamp() FROM portals AS before WHERE before.id = $1) AS lived`,
      [id, who.holder, who.address, who.version],
    );
    if (hasJoined && rows[0]?.lived !== true) onLapsed();
    hasJoined = true;
  };
  let hasJoined = false;
  /** Ends when no row is being written: one that left must not come back by a write that was under way. */
  let writing: Promise<unknown> = Promise.resolve();
  const writeRow = (): Promise<void> => {
    const mine = write();
    writing = Promise.allSettled([writing, mine]);
    return mine;
  };
  const arm = (): void => {
    if (isOver) return;
    // A database that does not answer changes nothing: the next renewal is a second later.
    cancel = clock.at(clock.monotonicMs() + limits.memberRenewMs, () => void renewed());
  };
  const renewed = async (): Promise<void> => {
    await writeRow().catch(() => undefined);
    arm();
  };
  try {
    await patiently(clock, async () => {
      await pool.query(`DELETE FROM portals WHERE until < clock_timestamp() - interval '1 day'`);
      await write();
    });
  } catch (error) {
    throw storeError(error);
  }
  arm();
  return {
    id,
    renew: async () => {
      if (isOver) return;
      await writeRow().catch((error: unknown) => {
        throw storeError(error);
      });
    },
    leave: async () => {
      isOver = true;
      cancel();
      await writing;
      await pool.query('DELETE FROM portals WHERE id = $1', [id]).catch(() => undefined);
    },
  };
}

/** For the others: `svc doctor` at any of them tells of it. Rejects STORE_FAILED. */
export async function sayUnreached(pool: Pool, id: string, servers: readonly string[]): Promise<void> {
  await pool.query('UPDATE portals SET unreached = $2 WHERE id = $1', [id, JSON.stringify(servers)]).catch((error: unknown) => {
    throw storeError(error);
  });
}

/** Living portals, the oldest first. Rejects STORE_FAILED. */
export async function livingPortals(pool: Pool, clock: Clock): Promise<readonly Member[]> {
  try {
    const { rows } = await patiently(clock, async () => await pool.query<Member>(living));
    return rows;
  } catch (error) {
    throw storeError(error);
  }
}

const living = `SELECT id, holder, address, version, (extract(epoch FROM started) * 1000)::bigint AS "startedMs",
    greatest(0, ${limits.memberMs} - extract(epoch FROM until - clock_timestamp()) * 1000)::bigint AS "quietMs", unreached::json AS unreached
  FROM portals WHERE until > clock_timestamp() ORDER BY started, id`;
