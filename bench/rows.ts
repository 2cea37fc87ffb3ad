/** One line of a benchmark table. Texts are ready for people, with units; `held` compares the ratio with the target. */
export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  readonly ratio: string;
  readonly target: string;
  readonly held: boolean;
}

/** One area of the benchmark; `short` is a quick look with fewer runs, never quoted. */
export type Area = (options: { readonly short: boolean }) => Promise<readonly Row[]>;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
