/** Limits of the routes of files; those of the work behind them: controller/files/limits.ts. */
export const limits = {
  /** Transfers under way, of all people, and of one. */
  transfersMax: 256,
  transfersPerPersonMax: 16,
  /** Searches and watches under way, of all people, and of one. */
  fileStreamsMax: 512,
  fileStreamsPerPersonMax: 16,
  /** Addresses of files for the browser to show, of one session and of all, and how long one is good. */
  previewsPerSessionMax: 256,
  previewsMax: 20_000,
  previewMs: 10 * 60_000,
  /** Changes of one person, and how soon one more is let through. */
  fileChangesBurst: 2_000,
  fileChangeRefillMs: 5,
} as const;
