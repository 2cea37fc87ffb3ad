/** Walks that once failed: one of them is walked again in every run. */
import { walkOf, type Act } from './monkey-acts.ts';

export interface KeptSeed {
  readonly seed: number;
  readonly acts: readonly Act[];
  /** The fault that it found. */
  readonly fault: string;
}

export const keptSeeds: readonly KeptSeed[] = [
  { seed: 7, acts: walkOf(7, 23), fault: 'a second window of Files opened by the launcher had no keyboard: the one behind it kept it' },
  {
    seed: 9,
    acts: walkOf(9, 26),
    fault: 'a part that could not be loaded offered a reload while no portal answered, which took the desktop away',
  },
];
