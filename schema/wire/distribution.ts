/**
 * Durations counted by how long they took, as a Prometheus histogram has them: how many fell into each bucket, and their sum. Two of them with
 * the same bounds add up, so that whoever measured may send counts instead of measurements. No imports: pages take it too.
 */

export interface Distribution {
  /** Counts per bucket, one more than there are bounds: the last is for values above all of them. Not cumulative. */
  readonly baldes: number[];
  soma: number;
}

/** Upper bounds in seconds, for what apps measure. The SDKs for Python and Node have the same list; a test compares. */
export const appDurationBoundsS: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 300];

export const emptyDistribution = (bounds: readonly number[]): Distribution => ({
  baldes: Array.from({ length: bounds.length + 1 }, () => 0),
  soma: 0,
});

export function observe(bounds: readonly number[], distribution: Distribution, seconds: number): void {
  let at = 0;
  while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
  distribution.baldes[at] = (distribution.baldes[at] ?? 0) + 1;
  distribution.soma += seconds;
}

export function addDistribution(to: Distribution, { baldes, soma }: { readonly baldes: readonly number[]; readonly soma: number }): void {
  for (const [at, n] of baldes.entries()) to.baldes[at] = (to.baldes[at] ?? 0) + n;
  to.soma += soma;
}
