/** Limits of the machines. Names end with their unit. */
export const limits = {
  /** After the 15 attempts the verdict is still sought, slower. Decision: docs/decisions/0137-what-runs-still-answers.md */
  probeSlowIntervalMs: 5_000,
  probeSlowIntervalMsMax: 30_000,
  supervisorReplyMsMax: 10_000,
  // Whether what runs still answers. Decision: docs/decisions/0137-what-runs-still-answers.md
  healthFirstCheckMs: 30_000,
  healthCheckMs: 600_000,
  /** Interval of checks of an app with an open connection. */
  healthUsedCheckMs: 60_000,
  healthAskMsMax: 4_000,
  healthAgainMs: 1_000,
  healthMissesMax: 3,
  healthSilentAskMsMax: 30_000,
  /** Time after an answer before a client that waits for the app may have it asked again. */
  healthDoubtMs: 10_000,
  // Jobs of the queue. Decision: docs/decisions/0211-the-queue.md
  jobRetryMsMax: 60_000,
  /** A job that the cluster took and no longer lists, and whose wrapper is silent, is given up after so long. */
  jobMissingMsMax: 60_000,
  /** So long after the cluster said that it is over, the wrapper may still say how. */
  jobCollectMsMax: 10_000,
  // Stop.
  stopGraceMs: 10_000,
  stopKillMsMax: 15_000,
} as const;
