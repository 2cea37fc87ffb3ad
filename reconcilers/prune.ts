/**
 * Guard against a folder that lost its files: a change that would remove more than a fifth of the objects, or all of a kind, removes nothing until
 * `--prune`. Decision: docs/decisions/0033-what-is-in-force.md
 */
import { limits } from './limits.ts';

export interface PrunePlan {
  /** Names that stay in force until `--prune`. */
  readonly held: readonly string[];
  /** Names whose objects are to be removed now. */
  readonly removed: readonly string[];
  /** Why names are held; null when none is. */
  readonly why: string | null;
}

/** `applied` and `next` are names like `Backend/ana-notas`, in any order, without duplicates. */
export function prunePlan(applied: readonly string[], next: readonly string[], prune = false): PrunePlan {
  const wanted = new Set(next);
  const gone = applied.filter((name) => !wanted.has(name));
  if (prune) return { held: [], removed: gone, why: null };
  const why = reasonToHold(applied, gone);
  return why === null ? { held: [], removed: gone, why } : { held: gone, removed: [], why };
}

/**
 * The same for the people of one People document: why those that are gone from its list stay until `--prune`; null: they go. One alone always goes,
 * unless nobody is left: a group that lost its members looks like that. `mayEmpty`: each of them is reported alone (by a provider).
 * Decision: docs/decisions/0398-people-of-the-system.md
 */
export function holdPeople(list: string, before: number, gone: number, mayEmpty: boolean): string | null {
  if (gone === 0 || (gone === 1 && mayEmpty)) return null;
  if (gone === before) return `removes all people of ${list} (${gone})`;
  if (gone === 1 || gone <= before * limits.pruneShareMax) return null;
  return `removes ${gone} of ${before} people of ${list}, more than ${limits.pruneShareMax * 100} %`;
}

function reasonToHold(applied: readonly string[], gone: readonly string[]): string | null {
  if (gone.length > applied.length * limits.pruneShareMax) {
    return `removes ${gone.length} of ${applied.length} objects, more than ${limits.pruneShareMax * 100} %`;
  }
  const before = countKinds(applied);
  for (const [kind, count] of countKinds(gone)) {
    if (before.get(kind) === count) return `removes every ${kind} (${count})`;
  }
  return null;
}

function countKinds(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const kind = name.slice(0, name.indexOf('/'));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
