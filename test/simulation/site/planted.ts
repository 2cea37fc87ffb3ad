/** Bugs that are planted for the simulator, one at a time: how many of them it finds says what its silence is worth. */
import { plantedInApps } from './planted-apps.ts';
import { plantedInRooms } from './planted-rooms.ts';

/** A change of one place of the product. */
export interface Planted {
  /** Short and unique, e.g. `intent-finished-unseen`. */
  readonly id: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** A plain sentence: what is left out or wrong, and what somebody would suffer. */
  readonly is: string;
  readonly area: 'apps' | 'rooms';
  /** Modelled on a defect that was there once. */
  readonly wasThere: boolean;
  /** The histories of `hunt` showed it. */
  readonly isFound: boolean;
}

export const planted: readonly Planted[] = [...plantedInApps, ...plantedInRooms];
