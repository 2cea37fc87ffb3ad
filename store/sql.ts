/**
 * The acts of the store, written once and executed by each driver: an act is a generator that yields its statements and gets their rows
 * back. SQLite runs it to its end at once, in the transaction of the turn; PostgreSQL awaits each answer. Statements are in the words that
 * both understand (sql-text.ts rewrites the rest for PostgreSQL). Decision: docs/decisions/0280-one-store-two-databases.md
 */

export type Value = string | number | null;

/** A query of an act: the statement and the values of its places. */
export interface Asked {
  readonly statement: Prepared;
  readonly values: readonly Value[];
  /** `rows` and `row` also of what changes rows, with RETURNING. */
  readonly want: 'rows' | 'row' | 'count';
}

/** The rows, the first of them or undefined, or how many rows were changed. */
export type Answer = unknown;

export type Act<Result> = Generator<Asked, Result, Answer>;

/** A statement of a driver: what a driver keeps for it is its own. */
export interface Prepared {
  readonly text: string;
}

export interface Statement {
  all<Row>(...values: readonly Value[]): Act<readonly Row[]>;
  /** The first row. */
  get<Row>(...values: readonly Value[]): Act<Row | undefined>;
  /** Answers how many rows were changed. */
  run(...values: readonly Value[]): Act<number>;
}

export interface Sql {
  prepare(text: string): Statement;
  /** After all writes that were asked for before: everyone reads their own. */
  read<Result>(act: () => Act<Result>): Promise<Result>;
  /** Resolves once it is committed. An act may be run anew from its beginning: it keeps nothing outside. Rejects STORE_FAILED after calling `onFailed`. */
  write<Result>(act: () => Act<Result>, onFailed?: () => void): Promise<Result>;
}

export function statementOf(statement: Prepared): Statement {
  return {
    *all<Row>(...values: readonly Value[]): Act<readonly Row[]> {
      return (yield { statement, values, want: 'rows' }) as readonly Row[];
    },
    *get<Row>(...values: readonly Value[]): Act<Row | undefined> {
      return (yield { statement, values, want: 'row' }) as Row | undefined;
    },
    *run(...values: readonly Value[]): Act<number> {
      return (yield { statement, values, want: 'count' }) as number;
    },
  };
}

/** The end of the range of keys with this prefix, for an index scan: U+10FFFF sorts after every name. */
export const prefixEnd = '\u{10FFFF}';

/** As a LIMIT: all of them. Neither database takes the words of the other one for it. */
export const everyRow = Number.MAX_SAFE_INTEGER;

/** For an act that only wants to be done. */
export function* done(act: Act<unknown>): Act<void> {
  yield* act;
}
