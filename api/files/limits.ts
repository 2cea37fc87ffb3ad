/** Limits of the routes of files; those of the work behind them: controller/files/limits.ts. */
export const limits = {
  listPageDefault: 500,
  trashPageDefault: 500,
  trashPageMax: 5_000,
  /** Transfers under way, of all people, and of one. */
  transfersMax: 256,
  transfersPerPersonMax: 16,
  /** Changes of one person, and how soon one more is let through. */
  fileChangesBurst: 2_000,
  fileChangeRefillMs: 5,
  operationHoldSecondsMax: 30,
  /** Searches and watches under way, of all people, and of one. */
  streamsMax: 512,
  streamsPerPersonMax: 16,
  watchedFoldersMax: 32,
} as const;
