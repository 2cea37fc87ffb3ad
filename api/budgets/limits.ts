/** Limits of the budgets (table.ts): what one person, or one app of theirs, may take of the portal. */
export const limits = {
  /** Log lines of one kind about one person, address or object: so many at once, and one more after so long. */
  logLinesBurst: 60,
  logLineRefillMs: 1_000,
  /** Lines that were left out are told of as one line after so long. */
  logLeftOutMs: 60_000,
  /** So many kinds are told of apart; what is left out of others is one count. */
  logKindsMax: 1_000,
} as const;
