/** Limits of the ways to a cluster. */
export const limits = {
  /** Deadline of a call to the cluster, its connection included. */
  clusterAnswerMsMax: 30_000,
  submitMsMax: 60_000,
  /** A person's account answers for their own jobs only, and others do not wait for it longer. */
  accountAnswerMsMax: 10_000,
  /** So much longer than its command a job may take for its inputs and for what it delivers. Decision: docs/decisions/0212-clusters.md */
  jobDeliverySeconds: 600,
  /** Length of the cluster's note about a job. */
  clusterNoteCharsMax: 300,
  jobsListedMax: 20_000,
  /** Commands for one scheduler, all callers together: bursts overload it. */
  schedulerCallsPerSecondMax: 16,
  accountsAtOnceMax: 4,
  /** A job that was asked to end and lives on so much later is killed. */
  jobStopSeconds: 30,
  /** A job that lives so much longer than its command and its deliveries may take is killed: its wrapper was stopped. */
  jobOverdueSeconds: 120,
  jobCommandBytesMax: 256 * 1_024,
} as const;
