/** Limits of what apps tell of themselves. Decision: docs/decisions/0213-metrics-of-apps.md */
export const limits = {
  eventCharsMax: 64,
  labelNameCharsMax: 32,
  labelValueCharsMax: 64,
  /** Of one entry of a batch: more is no count of this world. */
  metricValueMax: 1e12,
  /** Apps that have series; those of further ones are refused. */
  metricAppsMax: 300,
  /** Senders whose last batch is remembered, so that one that is sent again is counted once. */
  metricSendersMax: 4_096,
  /** Batches of one app of one person: at once, and one more after. */
  metricBatchesBurst: 60,
  metricBatchRefillMs: 250,
  /** What was refused is told back in so many lines. */
  metricRefusalsTold: 20,
  /** How long the list of people that labels are compared with is used. */
  metricPeopleKeptMs: 10_000,
} as const;
