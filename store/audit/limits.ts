/** Limits of the audit record. Decision: docs/decisions/0401-the-audit-record.md */
export const limits = {
  /** An act is on the disk so long after it at the latest, as long as the disk takes it: one write and one fsync for all lines of that time. */
  flushMsMax: 100,
  /** After a write that failed the next try waits so long. */
  retryMs: 2_000,
  batchLinesMax: 2_000,
  /** Lines that wait in memory for a disk that takes none. Later acts go on, and are counted. */
  waitingLinesMax: 20_000,
  /** Days that are kept unless `Portal.spec.audit.keepDays` says otherwise. */
  keepDaysDefault: 365,
  /** Lines of one kind that one caller leaves in a minute; those beyond are one line with their count. */
  sameLinesPerMinuteMax: 60,
  /** Callers that are counted separately for that. */
  callersMax: 10_000,
  /** A longer line is not one of ours. */
  lineBytesMax: 16 * 1_024,
  /** Characters of the name of an object: a path may be as long as a file can have. */
  objectCharsMax: 1_024,
  readBlockBytes: 64 * 1_024,
  /** Bytes of the files that one query reads: a page may be shorter than asked for. */
  readBytesMax: 8 * 1_024 * 1_024,
  pageLinesMax: 500,
  /** Findings of `svc audit --verify` that are listed one by one. */
  findingsMax: 100,
  /** `logger` is started again after so long when it ended. */
  syslogAgainMs: 10_000,
  /** Bytes that wait for `logger`; lines beyond are left out there and stay in the files. */
  syslogWaitingBytesMax: 1_024 * 1_024,
};
