/** How long to wait before another try. The caller decides what counts as a failure, and the two numbers. */

/** After the n-th failure in a row: `firstMs` after the first one, then twice as long each time, `mostMs` at most. */
export function doubledMs(firstMs: number, failures: number, mostMs: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), mostMs);
}

/** Half of a wait is chance, so that many who lost the same thing don't come back in one instant. `random` is from 0 to 1. */
export function halfByChanceMs(ms: number, random: number): number {
  return ms / 2 + (ms / 2) * random;
}
