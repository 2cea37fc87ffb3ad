/**
 * The store in PostgreSQL, for any number of portals. Same contract, same acts as the embedded one (tables/); statuses are read from memory, as there.
 * Decision: docs/decisions/0280-one-store-two-databases.md
 */
import type { Pool } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { deposed, takeLease, tryLease, type Lease } from './lease.ts';
import type { PostgresPlace } from './postgres-hosts.ts';
import { openPools, type Pools } from './postgres-pools.ts';
import { migrate, refuseOther } from './postgres-schema.ts';
import { postgresSql, type PostgresSql } from './postgres-sql.ts';
import type { Store } from './store.ts';
import { openTables } from './tables/all.ts';

export interface PostgresStore extends Store {
  /** Rejects STATE_IN_USE when another portal took it over; never resolves. */
  readonly lost: Promise<never>;
  /** The number of its lease; null: it does not lead. */
  readonly leader: number | null;
  /** See store/lease.ts; of one that does not lead it resolves. */
  readonly held: () => Promise<void>;
  /** Its connections, for what else is in the same database; they end with it. */
  readonly pools: Pools;
}

export interface PostgresOptions {
  readonly clock: Clock;
  /** Name of the new leader, for people. Null: this portal does not lead. */
  readonly holder: string | null;
  /** False: tables that are not there, or not those of this svc, are refused. */
  readonly migrates: boolean;
}

/**
 * Opens the store and brings its schema up to date, one portal at a time. Rejects with STORE_NEWER when a newer svc made tables that this one can't read, with
 * STORE_FAILED when it can't be reached or is refused, and with STATE_IN_USE when another portal leads, or an older one could not read the tables of this one.
 */
export async function openPostgresStore(place: PostgresPlace, { clock, holder, migrates }: PostgresOptions): Promise<PostgresStore> {
  const { name } = place;
  const pools = await openPools(place, clock);
  const { pool, renewals } = pools;
  return await closing(pools, name, async () => {
    if (migrates) await migrate(pool, { clock, name });
    else await refuseOther(pool, name);
    const lease = holder === null ? null : await takeLease(renewals, { holder, clock, name, seen: { number: 0 } });
    try {
      const fence = lease === null ? null : { number: lease.number, holder: lease.holder, deposed: () => deposed(name) };
      const sql = postgresSql(pool, clock, fence);
      const tables = await openTables(sql);
      const { promise: never } = Promise.withResolvers<never>();
      return {
        ...tables,
        lost: lease?.lost ?? never,
        leader: lease?.number ?? null,
        held: async () => await lease?.held(),
        pools,
        giveUp: (why) => sql.giveUp(why),
        close: async () => {
          await sql.idle();
          await lease?.release();
          await pools.end();
        },
      };
    } catch (error) {
      await lease?.release();
      throw error;
    }
  });
}

/** Advice to an administrator, after the words of the server. */
function helpOf(cause: string): string {
  const found = helps.find(([words]) => words.test(cause));
  return found === undefined ? '' : `. ${found[1]}`;
}

const helps: readonly (readonly [words: RegExp, help: string])[] = [
  [/client password must be/, 'The server asks for a password: Portal.spec.storePassword names where it is'],
  [/password authentication failed/, 'Portal.spec.storePassword names another password than the server has for this user'],
  [/database "[^"]*" does not exist/, 'Make it: createdb -O USER DATABASE'],
  [/is a standby, or takes no writes/, 'Portal.spec.store names the primary, too: postgres://USER@HOST,HOST/DATABASE'],
  [/ENOTFOUND|EAI_AGAIN/, 'No address is known of that name: check the host in Portal.spec.store'],
  [
    /ECONNREFUSED|timeout|EHOSTUNREACH|ENETUNREACH/,
    'Check that the server runs and is reached from here: host and port of Portal.spec.store',
  ],
];

/** Names and texts of people are any Unicode; SQL_ASCII takes every byte and counts bytes for characters. */
async function refuseEncoding(pool: Pool, name: string): Promise<void> {
  const { rows } = await pool.query<{ readonly server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding ?? 'unknown';
  if (encoding === 'UTF8') return;
  const how = 'make another one, createdb -T template0 -E UTF8 -O USER DATABASE, and name it in Portal.spec.store';
  throw new SvcError('STORE_FAILED', `the database of ${name} has the encoding ${encoding}, which does not hold every text: ${how}`);
}

/** Closes the connections when the opening fails. */
async function closing<Opened>(pools: Pools, name: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    await refuseEncoding(pools.pool, name);
    return await open();
  } catch (error) {
    await pools.end().catch(() => undefined);
    if (error instanceof SvcError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    // With several servers the one that was asked last may only be the one that is down.
    const troubles = pools.hosts.troubles();
    const cause = troubles === '' ? message : troubles.includes(message) ? troubles : `${message}; ${troubles}`;
    throw new SvcError('STORE_FAILED', `the store ${name} can't be opened: ${cause}${helpOf(cause)}`, {}, { cause: error });
  }
}

/** The store of a portal among others: of all of them the one that leads is given another face of it, whose writes carry its number. */
export interface MemberStore extends Store {
  /** Its connections, for what else is in the same database; they end with it. */
  readonly pools: Pools;
  /** Null: another one leads. Rejects when the database does not answer. */
  lead(): Promise<Leading | null>;
}

export interface Leading {
  readonly number: number;
  /** Rejects STATE_IN_USE whatever it writes once another one leads. */
  readonly store: Store;
  /** Rejects STATE_IN_USE when another portal took over; never resolves. */
  readonly lost: Promise<never>;
  /** See store/lease.ts: before each act. */
  readonly held: () => Promise<void>;
  /** The next one need not wait. */
  release(): Promise<void>;
}

/** As openPostgresStore, without leading: any number of portals have it open. */
export async function openMemberStore(
  place: PostgresPlace,
  { clock, holder }: { readonly clock: Clock; readonly holder: string },
): Promise<MemberStore> {
  const { name } = place;
  const pools = await openPools(place, clock);
  const { pool, renewals } = pools;
  // The highest number of a lease that was seen here: it is given out once, whatever the database forgot.
  const seen = { number: 0 };
  return await closing(pools, name, async () => {
    await migrate(pool, { clock, name });
    const sql = postgresSql(pool, clock, null);
    return {
      ...(await openTables(sql)),
      pools,
      giveUp: (why) => sql.giveUp(why),
      close: async () => {
        await sql.idle();
        await pools.end();
      },
      lead: async () => {
        const lease = await tryLease(renewals, { holder, clock, name, seen });
        return lease && (await leading({ pool, clock, name }, lease));
      },
    };
  });
}

interface Base {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Name of the database, for messages. */
  readonly name: string;
}

/** Statements of a leader, under the number of its lease, which it gives back once everything is written. */
export function fencedSql({ pool, clock, name }: Base, lease: Lease): { readonly sql: PostgresSql; readonly release: () => Promise<void> } {
  const sql = postgresSql(pool, clock, { number: lease.number, holder: lease.holder, deposed: () => deposed(name) });
  return {
    sql,
    release: async () => {
      await sql.idle();
      await lease.release();
    },
  };
}

async function leading(base: Base, lease: Lease): Promise<Leading> {
  const { sql, release } = fencedSql(base, lease);
  try {
    // The last writes of the leader before are read anew.
    const store: Store = { ...(await openTables(sql)), giveUp: (why) => sql.giveUp(why), close: () => sql.idle() };
    return { number: lease.number, store, lost: lease.lost, held: () => lease.held(), release };
  } catch (error) {
    await lease.release();
    throw error;
  }
}
