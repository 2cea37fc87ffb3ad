/** Which snapshots stay. Periods are those of UTC; of each the newest snapshot counts. */
export interface Keep {
  readonly last?: number;
  readonly daily?: number;
  readonly weekly?: number;
  readonly monthly?: number;
}

const dayMs = 24 * 60 * 60_000;

const periods: Readonly<Record<keyof Keep, (atMs: number, nth: number) => string>> = {
  last: (_, nth) => `${nth}`,
  daily: (atMs) => `${Math.floor(atMs / dayMs)}`,
  // The first of January 1970 was a Thursday.
  weekly: (atMs) => `${Math.floor((atMs / dayMs + 3) / 7)}`,
  monthly: (atMs) => new Date(atMs).toISOString().slice(0, 7),
};

/** Snapshots that no rule keeps; none without a rule. The newest one always stays. */
export function surplus<Snapshot extends { readonly atMs: number }>(snapshots: readonly Snapshot[], keep: Keep): readonly Snapshot[] {
  const newestFirst = snapshots.toSorted((a, b) => b.atMs - a.atMs);
  const kept = new Set<Snapshot>(newestFirst.slice(0, 1));
  const rules = (Object.keys(periods) as (keyof Keep)[]).filter((rule) => keep[rule] !== undefined);
  if (rules.length === 0) return [];
  for (const rule of rules) {
    const seen = new Set<string>();
    for (const [nth, snapshot] of newestFirst.entries()) {
      const period = periods[rule](snapshot.atMs, nth);
      if (seen.has(period)) continue;
      if (seen.size === keep[rule]) break;
      seen.add(period);
      kept.add(snapshot);
    }
  }
  return newestFirst.filter((snapshot) => !kept.has(snapshot));
}
