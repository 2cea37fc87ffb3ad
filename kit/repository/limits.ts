/** Limits of reading a repository and of publishing into one. */
export const limits = {
  repositoryAnswerMsMax: 20_000,
  offersCacheMs: 5_000,
  offeredIconsKept: 64,
  // Repository. Decision: docs/decisions/0055-repository-on-disk.md
  publishSilentMsMax: 120_000,
  ignoreLinesMax: 1_000,
  ignoreLineCharsMax: 256,
  repositoryLockMsMax: 15_000,
  repositoryLockPollMs: 20,
  /** A temporary file without a write for so long was left by a publisher that died. */
  repositoryStagingMsMax: 60 * 60_000,
} as const;
