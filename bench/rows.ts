/** A line of a benchmark table. Texts are ready for people, with units; `held`: whether the target is met. */
export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  readonly ratio: string;
  readonly target: string;
  /** Null: there is no target, and `target` says why. */
  readonly held: boolean | null;
}

/** An area of the benchmark; `short` is a quick run with fewer repetitions, never quoted. */
export type Area = (options: { readonly short: boolean }) => Promise<readonly Row[]>;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The one that so many of 100 are at most: 99 of few values is the worst of them. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

/** `p50 12 ms, p99 15 ms` */
export function percentilesOf(values: readonly number[], show: (value: number) => string): string {
  return `p50 ${show(median(values))}, p99 ${show(percentile(values, 99))}`;
}
