/** Limits of the installer. */
export const limits = {
  // Installer. Decision: docs/decisions/0060-versions-side-by-side.md
  installLockMsMax: 60_000,
  /** An engine of more entries is listed without its size. */
  engineCountedEntriesMax: 10_000,
  packageDepthMax: 64,
  dpkgQueryMsMax: 15_000,
  downloadIdleMsMax: 30_000,
  /** More attempts than these in a row that brought no progress end a download. */
  downloadRetriesMax: 5,
  /** Progress is so much more than was ever there. */
  downloadProgressBytesMin: 64 * 1_024,
  downloadRetryMs: 500,
  downloadRetryMsMax: 30_000,
  progressMs: 500,
} as const;
