/** Limits of the supervisor. */
export const limits = {
  /** Replaced and deleted values that the supervisor still blanks out of logs. */
  secretsRetiredMax: 64,
  runLogCheckMs: 50,
  /** A log of the supervisor over this keeps its last part; its size is checked whenever so much was written. See kit/supervise/log.ts. */
  supervisorLogBytesMax: 16 * 1_024 * 1_024,
  supervisorLogKeptBytes: 1_024 * 1_024,
  supervisorLogLookBytes: 64 * 1_024,
  supervisorClientsMax: 16,
  supervisorClientBufferedBytesMax: 8 * 1_024 * 1_024,
  serviceManagerAskMsMax: 2_000,
  // Supervision. Source: rules 3.3 and 8.
  /** With less in the home of an account its supervisor tries at each pass whether it can still write. See kit/supervise/disk.ts. */
  homeDoubtBytes: 16 * 1_024 * 1_024,
  homeDoubtFiles: 64,
  homeProbeBytes: 64 * 1_024,
  /** flock(1) with -n answers at once. */
  flockMsMax: 2_000,
  /** A listening app without its socket file may just be binding it again. Decision: docs/decisions/0132 */
  socketLostGraceMs: 1_000,
  /** So many passes in a row leave the files of an app at rest alone; the next one reads them. See kit/supervise/calm.ts. */
  calmRoundsMax: 5,
  /** A run.pid that was written longer ago has another time after its next write, whatever the clock of its file system shows. */
  recordSettledMs: 2_000,
  /** Growth of the heap since the last collection in a quiet pass. See kit/supervise/collect.ts. */
  heapGrowthBytes: 2 * 1_024 * 1_024,
  /** A longer list of the kernel gives its buffer back. See kit/supervise/kernel-file.ts. */
  kernelFileKeptBytesMax: 256 * 1_024,
  /** Time after the stop, continuation or end of a child until all children are checked. See kit/supervise/health.ts. */
  childStopLookMs: 250,
  /** So much of an answer to GET /saude is read for its `ocupado`. */
  healthAnswerBytesMax: 4_096,
  /** A number of an order that was kept and is further in the future is of a broken clock or file. See kit/supervise/fence.ts. */
  leaderAheadMsMax: 86_400_000,
  /** A process that the supervisor did not start has no exit event: it is polled this often. */
  adoptedPollMs: 1_000,
  /** An end this soon after the start, without a socket, is ExitedAtOnce. */
  exitedAtOnceMs: 2_000,
  /** First wait between observations of a starting app; later waits are a part of the time that passed. See kit/supervise/coming-up.ts. */
  comingUpLookMs: 5,
  comingUpLookPart: 1 / 8,
  comingUpLookMsMax: 1_000,
  /** A living process without a socket is checked for TCP ports after this. */
  neverBoundMs: 2_000,
  /** And no longer than this: by then it is NeverBound anyway. */
  neverBoundWindowMs: 20_000,
  lastExitLinesMax: 20,
  /** Length of the line about a job (job.state). */
  jobStateCharsMax: 500,
  launchesAtOnceMax: 8,
  /** status.json may be this much older than the snapshot on the socket. */
  statusFileLagMs: 50,
} as const;
