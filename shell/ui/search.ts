/** Contents of the launcher: grouped by category when nothing is typed, best match first otherwise. Pure. */
import { folded } from '../../sdk/web/ui/type-ahead.ts';

export interface Entry {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** As in the manifest; 'Other' when it has none. */
  readonly category: string;
}

export interface Section<E extends Entry> {
  readonly category: string;
  readonly entries: readonly E[];
}

const byName = <E extends Entry>(a: E, b: E): number => a.name.localeCompare(b.name);

/** Sections in the order of their shown names; entries without a category come last. Source: rules 2.1, `category`. */
export function sections<E extends Entry>(entries: readonly E[], shownName: (category: string) => string): readonly Section<E>[] {
  // However it is spelled: two that show alike, or differ in case, accents or blanks only, are one, and the first spelling names it.
  const spelled = new Map<string, string>();
  const groups = Map.groupBy(entries, ({ category }) => {
    const own = category.trim() === '' ? 'Other' : category.trim();
    const key = folded(shownName(own)).replaceAll(/[\s_-]+/g, ' ');
    if (!spelled.has(key)) spelled.set(key, own);
    return spelled.get(key) ?? own;
  });
  return [...groups]
    .map(([category, group]) => ({ category, entries: group.toSorted(byName) }))
    .sort(
      (a, b) =>
        Number(a.category === 'Other') - Number(b.category === 'Other') || shownName(a.category).localeCompare(shownName(b.category)),
    );
}

/** 0 is no match; every word that was typed must be found somewhere. */
export function matchScore(entry: Entry, query: string): number {
  const name = folded(entry.name);
  const rest = folded(`${entry.key} ${entry.description} ${entry.category}`);
  const scores = folded(query)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (name.startsWith(word)) return 8;
      if (name.split(/[\s-]+/).some((part) => part.startsWith(word))) return 6;
      if (name.includes(word)) return 4;
      if (rest.includes(word)) return 2;
      return 0;
    });
  return scores.length === 0 || scores.includes(0) ? 0 : scores.reduce<number>((sum, score) => sum + score, 0);
}

export function search<E extends Entry>(entries: readonly E[], query: string): readonly E[] {
  return entries
    .map((entry) => ({ entry, score: matchScore(entry, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || byName(a.entry, b.entry))
    .map(({ entry }) => entry);
}
