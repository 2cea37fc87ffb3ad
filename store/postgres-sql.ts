/**
 * The acts of the store on PostgreSQL. Writes go one group after the other, in the order in which they were asked for: all that wait while a
 * group is committed are the next one, in one serializable transaction. A group that another portal's write got in the way of runs anew. Each group
 * leaves its number in the database: when the connection breaks, that says afterwards whether it was committed, and it runs anew if not.
 * Decisions: docs/decisions/0280-one-store-two-databases.md, docs/decisions/0308-whether-it-was-committed.md
 */
import { randomUUID } from 'node:crypto';
import type { ClientBase, Pool, QueryConfig } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { isAway, isCollision, patiently, storeError, withClient } from './postgres-patience.ts';
import { statementOf, type Act, type Asked, type Prepared, type Sql, type Value } from './sql.ts';
import { storedText, toPostgres } from './sql-text.ts';

interface PostgresPrepared extends Prepared {
  readonly name: string;
}

interface Waiting {
  readonly act: () => Act<unknown>;
  readonly onFailed: (() => void) | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface PostgresSql extends Sql {
  /** Settles when every write that was asked for before has its end. */
  idle(): Promise<void>;
  giveUp(why: string): void;
}

/** The number that every write carries, and what it rejects with once another one is given out. */
export interface Fence {
  readonly number: number;
  readonly holder: string;
  readonly deposed: () => SvcError;
}

/** `fence` null: of a portal that does not lead. */
export function postgresSql(pool: Pool, clock: Clock, fence: Fence | null): PostgresSql {
  const names = new Map<string, PostgresPrepared>();
  let waiting: Waiting[] = [];
  let lost: string | null = null;
  let isWorking = false;
  const writer = randomUUID();
  let groups = 0;
  /** Writes end in the order in which they were asked for. */
  let lastWrite: Promise<unknown> = Promise.resolve();

  const prepared = (text: string): PostgresPrepared => {
    const known = names.get(text);
    if (known !== undefined) return known;
    const made = { text: toPostgres(text), name: `svc${names.size}` };
    names.set(text, made);
    return made;
  };

  const reject = (group: readonly Waiting[], error: unknown): void => {
    for (const write of group) {
      write.onFailed?.();
      write.reject(storeError(error));
    }
  };

  const commit = async (group: readonly Waiting[]): Promise<void> => {
    try {
      if (lost !== null) throw new SvcError('STORE_FAILED', lost);
      const attempt: Attempt = { writer, n: (groups += 1), results: null };
      const results = await patiently(clock, async () => await inTransaction(pool, group, { attempt, fence }));
      for (const [index, write] of group.entries()) write.resolve(results[index] as never);
    } catch (error) {
      // A bad one takes no other with it; but each alone would wait for a server that is away as long again.
      if (group.length === 1 || isAway(error) || isCollision(error) || error instanceof SvcError) return reject(group, error);
      for (const write of group) await commit([write]);
    }
  };

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await commit(group);
    }
    isWorking = false;
  };

  return {
    prepare: (text) => statementOf(prepared(text)),
    read: async (act) => {
      await lastWrite;
      try {
        return await patiently(clock, async () => await withClient(pool, async (client) => await runAct(client, act())));
      } catch (error) {
        throw storeError(error);
      }
    },
    write: <Result>(act: () => Act<Result>, onFailed?: () => void) => {
      const written = new Promise<Result>((resolve, reject) => waiting.push({ act, onFailed, resolve, reject }));
      lastWrite = written.catch(() => undefined);
      if (!isWorking) {
        isWorking = true;
        // All of one turn of the event loop are one group.
        void Promise.resolve().then(work);
      }
      return written;
    },
    idle: async () => void (await lastWrite),
    giveUp: (why) => {
      lost ??= why;
    },
  };
}

interface Transaction {
  readonly attempt: Attempt;
  readonly fence: Fence | null;
}

async function inTransaction(pool: Pool, group: readonly Waiting[], { attempt, fence }: Transaction): Promise<readonly unknown[]> {
  if (attempt.results !== null && (await wasCommitted(pool, attempt))) return attempt.results;
  attempt.results = null;
  return await withClient(pool, async (client) => {
    await client.query(beginNumbered(attempt));
    try {
      if (fence !== null) await refuseDeposed(client, fence);
      const results: unknown[] = [];
      for (const { act } of group) results.push(await runAct(client, act()));
      attempt.results = results;
      await client.query('COMMIT');
      return results;
    } catch (error) {
      // On a connection that broke the database ends it by itself.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

/** Two statements in one question take no parameters; both values are ours. */
export const beginNumbered = ({ writer, n }: Pick<Attempt, 'writer' | 'n'>): string =>
  `BEGIN ISOLATION LEVEL SERIALIZABLE; INSERT INTO last_writes VALUES ('${writer}', ${n}, clock_timestamp())
     ON CONFLICT (writer) DO UPDATE SET n = excluded.n, changed = excluded.changed`;

/** The number of the last group of a writer that was committed; 0: of none. Held against a real server by test/simulation/portals/fencing-contract.ts. */
export const lastNumber = `INSERT INTO last_writes VALUES ($1, 0, clock_timestamp())
  ON CONFLICT (writer) DO UPDATE SET changed = clock_timestamp() RETURNING n`;

/** The row is held until the end: whoever takes the lease over waits for what is under way, and after that nothing is. */
async function refuseDeposed(client: ClientBase, { number, holder, deposed }: Fence): Promise<void> {
  const { rows } = await client.query<{ readonly number: number; readonly holder: string }>(
    `SELECT number, holder FROM leases WHERE name = 'leader' FOR SHARE`,
  );
  const [row] = rows;
  // A standby was promoted that does not know of this lease yet: the renewal tells it.
  if (row !== undefined && row.number < number) throw Object.assign(new Error('the lease is not in the database yet'), { code: '57P03' });
  if (row?.number !== number || row.holder !== holder) throw deposed();
}

/**
 * Whether a transaction was committed whose COMMIT was not answered. The query waits for one that is still under way: a query for the
 * number itself would not, nor one for a row that the first group of a writer has only begun to write. And since it writes, it is answered
 * only once a synchronous standby has both.
 */
async function wasCommitted(pool: Pool, { writer, n }: Attempt): Promise<boolean> {
  const { rows } = await pool.query<{ readonly n: number }>(lastNumber, [writer]);
  return rows[0]?.n === n;
}

async function runAct<Result>(client: ClientBase, act: Act<Result>): Promise<Result> {
  let step = act.next();
  while (step.done !== true) {
    const asked = step.value;
    const { rows, rowCount } = await client.query<Record<string, unknown>>(queryOf(asked));
    step = act.next(asked.want === 'count' ? (rowCount ?? 0) : asked.want === 'row' ? rows[0] : rows);
  }
  return step.value;
}

function queryOf({ statement, values }: Asked): QueryConfig {
  const { name, text } = statement as PostgresPrepared;
  return { name, text, values: values.map(storedValue) };
}

const storedValue = (value: Value): Value => (typeof value === 'string' ? storedText(value) : value);

interface Attempt {
  readonly writer: string;
  /** Number of the group, counted by this writer. */
  readonly n: number;
  /** Null: its commit was not asked for. */
  results: readonly unknown[] | null;
}
