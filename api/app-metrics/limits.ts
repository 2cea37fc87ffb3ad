/** Limits of the metrics that apps report. Decision: docs/decisions/0213-metrics-of-apps.md */
export const limits = {
  eventCharsMax: 64,
  labelNameCharsMax: 32,
  labelValueCharsMax: 64,
  /** Value of an entry of a batch: a larger one is not a real count. */
  metricValueMax: 1e12,
  /** Apps that have series; those of further ones are refused. */
  metricAppsMax: 300,
  /** Senders whose last batch is remembered, so that one that is sent again is counted once. */
  metricSendersMax: 4_096,
  /** Batches of one app of one person: at once, and one more after. */
  metricBatchesBurst: 60,
  metricBatchRefillMs: 250,
  /** Number of refusals that an answer lists. */
  metricRefusalsTold: 20,
  /** How long the list of people that labels are compared with is used. */
  metricPeopleKeptMs: 10_000,
} as const;
