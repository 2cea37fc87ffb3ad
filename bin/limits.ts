/** Limits of the commands and of `svc up`. */
export const limits = {
  /** `svc du` looks at one part of the state folder for so long. */
  duMsMax: 20_000,
  /** Time that completion of a word waits for the portal. */
  completionMsMax: 2_000,
  completionsMax: 1_000,
  /** After a failure to ask which rooms other portals took. */
  roomsTakenAgainMs: 1_000,
  /** A fault of a room is logged again after so long, for so many faults. */
  roomTroubleLogMs: 60 * 60_000,
  roomTroublesMax: 1_000,
  // Scheduled backups. Decision: docs/decisions/0407-scheduled-backups.md
  backupLookMs: 30_000,
  /** After the first failure; after each more twice as long, and never longer than `every`. */
  backupRetryMs: 10 * 60_000,
  /** How often all of a snapshot is read again. */
  backupCheckEveryMs: 7 * 24 * 60 * 60_000,
  /** A backup that takes longer is ended. */
  backupMsMax: 24 * 60 * 60_000,
  /** Objects of a backup that comes as a stream. */
  backupStreamEntriesMax: 10_000_000,
  /** `svc setup`: one program of the machine; the portal until it answers; its first apps, their engines with them. */
  setupCommandMsMax: 60_000,
  setupOutputBytesMax: 1_024 * 1_024,
  setupPortalMsMax: 120_000,
  /** For the first list of the members of a group. */
  setupPeopleMsMax: 30_000,
  setupAppsMsMax: 300_000,
  setupPollMs: 200,
  stateFreeBytesMin: 256 * 1_024 * 1_024,
  /** The one compilation of a new app from the template `binary`. */
  templateBuildMsMax: 60_000,
  /** From the signal to the end of `svc up`, and from the end of all its parts; then it is killed. */
  upEndMsMax: 15_000,
  upLeaveMsMax: 2_000,
  /** A portal that does not lead looks so often whether anybody does. */
  leaseLookMs: 250,
  /** Difference between the clocks of this portal and the database. Tickets between two portals are good for a minute. */
  portalClockSkewMsMax: 5_000,
  /** How often a portal among others tells which servers it does not reach. */
  portalReachMs: 5_000,
  /** A portal whose loop works for less than this part of the time collects its heap, if that is small and the process grew by so much. */
  restLookMs: 15_000,
  restLoadMax: 0.03,
  restGrownBytesMin: 32 * 1_024 * 1_024,
  restHeapBytesMax: 128 * 1_024 * 1_024,
  /** Log lines of one kind about one person, address or object: so many at once, and one more after so long, whatever else is said about them. */
  logLinesOfKindBurst: 10,
  logLineOfKindRefillMs: 6_000,
  /** Beyond those, of all kinds together. */
  logLinesBurst: 20,
  logLineRefillMs: 6_000,
  /** Lines that were left out are reported as one line after so long. */
  logLeftOutMs: 60_000,
  /** So many kinds have a line of their own then, those with the most. */
  logLeftOutLinesMax: 20,
  /** So many kinds are counted apart; the lines left out of others are one count. */
  logKindsMax: 1_000,
} as const;
