/**
 * store/upgrade/: what a store of another version holds, read without changing it: no table is made or brought up to date, and no file of the state
 * folder is written. For `svc upgrade --plan`. This file: what is told, the same of both databases.
 */
import type { StoredStatus } from '../store.ts';

export interface StoreLook {
  /** Steps of the schema that were done; 0: there is no store yet. */
  readonly schema: number;
  /** Steps that this svc knows. */
  readonly own: number;
  /** The store can be read by this svc. */
  readonly isReadable: boolean;
  /** After this svc brought it up to date, one that knows the steps of now still goes on with it. */
  readonly mayGoBack: boolean;
  /** Tables that the steps to come are about, with their rows. */
  readonly touched: readonly { readonly table: string; readonly rows: number }[];
  /** As the last portal wrote them. */
  readonly statuses: readonly Pick<StoredStatus, 'key' | 'state' | 'details'>[];
}

/** A read of one database. Rows are few: names, numbers, and the statuses. */
export type Ask = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

interface Known {
  readonly schema: number;
  readonly steps: readonly string[];
  readonly isReadable: boolean;
  readonly mayGoBack: boolean;
  /** Tables that are there. */
  readonly tables: readonly string[];
}

export async function lookWith(ask: Ask, { schema, steps, tables, ...rest }: Known): Promise<StoreLook> {
  const touched: StoreLook['touched'][number][] = [];
  for (const table of tablesOf(steps.slice(schema)).filter((name) => tables.includes(name)))
    touched.push({ table, rows: Number((await ask(`SELECT count(*) AS n FROM ${table}`))[0]?.['n'] ?? 0) });
  const rows = tables.includes('statuses') ? await ask('SELECT body FROM statuses ORDER BY key') : [];
  return { schema, own: steps.length, ...rest, touched, statuses: rows.flatMap(({ body }) => statusOf(body)) };
}

/** By the words of the schema: names are those of migrations.ts, nobody else's. */
function tablesOf(steps: readonly string[]): readonly string[] {
  const names = steps.flatMap((step) =>
    Array.from(
      step.matchAll(/\b(?:ALTER TABLE|DROP TABLE|UPDATE|DELETE FROM|FROM|ON)\s+(?:IF EXISTS\s+)?([a-z_]+)\b/g),
      ([, name = '']) => name,
    ),
  );
  return [...new Set(names)].sort();
}

function statusOf(body: unknown): StoreLook['statuses'] {
  try {
    const { key, state, details } = JSON.parse(String(body)) as Partial<StoredStatus>;
    return typeof key === 'string' && typeof state === 'string' ? [{ key, state, details: details ?? {} }] : [];
  } catch {
    // The next portal writes an unreadable status anew.
    return [];
  }
}
