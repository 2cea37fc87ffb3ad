/** Limits of the commands and of `svc up`. */
export const limits = {
  /** A fault of a room that was told is told again after so long, of so many faults. */
  roomTroubleLogMs: 60 * 60_000,
  roomTroublesMax: 1_000,
  stateFreeBytesMin: 256 * 1_024 * 1_024,
} as const;
