/** Limits of the routes of files; those of the work behind them: controller/files/limits.ts. */
export const limits = {
  listPageDefault: 500,
  /** Transfers under way, of all people, and of one. */
  transfersMax: 256,
  transfersPerPersonMax: 16,
} as const;
