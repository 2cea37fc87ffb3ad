/** Limits of the queue's routes. Decision: docs/decisions/0211-the-queue.md */
export const limits = {
  /** Jobs that are kept of one person, waiting, running and ended. */
  jobsPerPersonMax: 20_000,
  jobsPageMax: 200,
  /** Bytes of inputs, outputs and logs of one person, where the Portal document says nothing. */
  queueSpaceBytesMax: 20 * 1_024 ** 3,
  /** Free space of the disk with the portal's state below which nothing more is taken. */
  queueFreeBytesMin: 1_024 ** 3,
  jobLogBytesMax: 64 * 1_024 ** 2,
  /** Questions for news that are held, of one person. */
  jobHoldsPerPersonMax: 64,
  /** Coming in at once, in all and of one person or job. */
  queueUploadsMax: 64,
  queueUploadsPerOwnerMax: 8,
  /** An input that no job refers to, since it was announced last. */
  jobInputKeptMs: 24 * 60 * 60_000,
  queueSweepMs: 10 * 60_000,
  queueSweepRows: 500,
  /** Submissions and other changes of one person. */
  queueChangesBurst: 2_000,
  queueChangeRefillMs: 5,
  /** A person's pages get news of their jobs no more often. */
  queueNewsMs: 500,
} as const;
