/** Walks that once failed, as short as they became. Each is walked again in every run. */
import type { Act } from './monkey-acts.ts';

export interface KeptSeed {
  readonly seed: number;
  readonly acts: readonly Act[];
  /** The fault that it found. */
  readonly fault: string;
}

export const keptSeeds: readonly KeptSeed[] = [];
