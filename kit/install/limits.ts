/** Limits of the installer. */
export const limits = {
  // Installer. Decision: docs/decisions/0060-versions-side-by-side.md
  installLockMsMax: 60_000,
  /** An engine of more entries is listed without its size. */
  engineCountedEntriesMax: 10_000,
  packageDepthMax: 64,
  dpkgQueryMsMax: 15_000,
  downloadIdleMsMax: 30_000,
  /** So many attempts in a row that brought not one byte end a download. */
  downloadRetriesMax: 5,
  /** Fewer bytes than these in an attempt are no progress: else a server could be asked for ever, byte by byte. */
  downloadProgressBytesMin: 64 * 1_024,
  downloadRetryMs: 500,
  downloadRetryMsMax: 30_000,
  progressMs: 500,
} as const;
