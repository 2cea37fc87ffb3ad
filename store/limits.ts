/** Limits of the store. */
export const limits = {
  sessionsPerPersonMax: 64,
  /** Unused ones, of the sign-in links and of the hand-overs to apps each. */
  passesPerPersonMax: 256,
  passkeysPerPersonMax: 20,
  /** Answers of one person to apps that use each other. */
  consentsPerPersonMax: 2_000,
  /** Groups of errors that one app of one person reported. */
  appErrorsPerAppMax: 50,
  // PostgreSQL. Decision: docs/decisions/0280-one-store-two-databases.md
  /** Connections of one portal. */
  storeConnectionsMax: 8,
  /** And those on which it renews the lease and its row among the portals, for nothing else. */
  storeRenewalConnectionsMax: 2,
  /** Time of one renewal: it detects a server that stands still. */
  storeRenewMsMax: 2_500,
  // Several servers of one database. Decision: docs/decisions/0307-when-a-standby-is-promoted.md
  /** How often all of them are asked which one takes writes; and when none does, or a connection ended. */
  storeLookMs: 5_000,
  storeLookAgainMs: 250,
  /** Time without an answer after which a server counts as away. */
  storeLookMsMax: 1_000,
  storeConnectMsMax: 5_000,
  storeStatementMsMax: 10_000,
  /** A transaction in which nothing is asked for so long is ended by the database: its portal stands still. */
  storeHeldMsMax: 2_000,
  /** Rows of one statement when a store is copied. */
  storeCopyRowsMax: 500,
  /** Time for which a query is retried while the database is away. */
  storeAwayMsMax: 10_000,
  /** Another portal brings the tables up to date, or moves files into them, for so long. */
  storeAloneMsMax: 60 * 60_000,
  storeAloneLookMs: 100,
  /** A portal that says nothing meanwhile for so long stands still: another one goes on. */
  storeAloneQuietMsMax: 10_000,
  /** Time of a single step of the schema. */
  storeStepMsMax: 30 * 60_000,
  /** A leader that did not renew for so long leads no more. */
  leaseMs: 3_000,
  leaseRenewMs: 1_000,
  /** So long before its lease may be over a leader begins nothing more: what it orders takes a moment to get there. */
  leaseMarginMs: 500,
  /** A portal that did not renew its row for so long is none any more: its rooms are anybody's. */
  memberMs: 3_000,
  memberRenewMs: 1_000,
  /** Bytes of one piece of a document's base, read from PostgreSQL. */
  roomPieceBytes: 1_024 * 1_024,
  /** Pieces of files in PostgreSQL: so much is gathered, and no more is one of them. */
  storedPieceBytesMin: 256 * 1_024,
  storedPieceBytesMax: 1_024 * 1_024,
  // Edges between portals. Decision: docs/decisions/0298-edges-between-portals.md
  /** Bytes of one message: PostgreSQL takes 8,000. */
  edgeMessageBytesMax: 7_900,
  /** Edges that wait to be sent; with more the other portals are ordered to read everything again. */
  edgesWaitingMax: 10_000,
  /** The connection that listens is asked so often whether it is there. */
  edgePingMs: 5_000,
  edgeReconnectMs: 250,
  eventsKeptPerObject: 100,
  eventsKeptTotal: 100_000,
  /** Documents whose rows are known, and rooms that were deleted, of which rows may still come. */
  roomLogNamesMax: 10_000,
  /** Memory that is kept for the next commit. */
  roomLogSpareBytesMax: 1_024 * 1_024,
  /** Heap of the thread that compacts; a document of 16 MiB takes about a quarter GiB. */
  roomCompactHeapMiBMax: 768,
  /** Its heap in use that stays between two documents. */
  roomThreadKeptBytesMax: 24 * 1_024 * 1_024,
  /** Time of a processor to build one document. A room whose document takes longer, or whose base is larger than the next bound, keeps its log as it is. */
  roomCompactMsMax: 30_000,
  /** So many times as long it may take on a busy machine; and how often its time is looked at near the end. */
  roomCompactBusyMax: 4,
  roomCompactLookMs: 100,
  roomBaseBytesMax: 64 * 1_024 * 1_024,
  roomCompactIdleMs: 5_000,
  /** A person who looks at a version reads it before they look at the next one. */
  roomViewIdleMs: 60_000,
  // History of rooms. Decision: docs/decisions/0447-history-of-rooms.md
  /** Longest pause in a version, and its longest time. */
  roomSessionGapMs: 5 * 60_000,
  roomSessionMsMax: 15 * 60_000,
  /** Versions of an hour are one after a day, and those of a day after this. */
  roomHourlyMs: 30 * 24 * 60 * 60_000,
  /** Pieces of the version that is being written. */
  roomYoungPiecesMax: 4,
  /** Pieces of one document, and their bytes: the oldest are forgotten. */
  roomPiecesMax: 2_000,
  roomHistoryBytesMax: 32 * 1_024 * 1_024,
  /** Inflated bytes of the pieces that one compaction merges, and of one piece that is read. */
  roomMergedBytesMax: 64 * 1_024 * 1_024,
  roomPieceOpenBytesMax: 256 * 1_024 * 1_024,
  /** Bytes of a version as text: marks and escapes make it larger than its document. */
  roomVersionBytesMax: 64 * 1_024 * 1_024,
  roomVersionPeopleMax: 100,
  roomVersionNamesMax: 200,
  // Rooms. Source: rules 8. Decision: docs/decisions/0095-who-is-in-a-room.md
  roomsOwnedMax: 2_000,
  /** Rooms that leave the bin in one pass. */
  roomsExpiredAtOnce: 200,
  roomsListedMax: 2_000,
  roomPeopleMax: 1_000,
  roomGroupsMax: 100,
  /** So many notified anchors are remembered for one person. */
  noticeAnchorsPerPersonMax: 20_000,
  /** Notices of one app to its own person. */
  noticesPerAppMax: 50,
  // Backups. Decision: docs/decisions/0405-objects-and-manifests.md
  /** Bytes of one object, of a database and of a file: more become several objects. */
  backupPagesBytesMax: 64 * 1_024,
  backupChunkBytesMax: 4 * 1_024 * 1_024,
  /** Rows of one answer of PostgreSQL. */
  backupRowsMax: 64,
  /** Objects that are written at the same time. */
  backupWritesMax: 16,
  /** For a database to be held, and for another backup that has the files held. */
  backupHoldWaitMsMax: 30_000,
  /** Files that a backup needs are removed once it has them: that is looked at so often. */
  backupHeldLookMs: 100,
  /** A key that named a job names no other one for so long after the job was removed. */
  jobKeyKeptMs: 180 * 24 * 60 * 60_000,
  /** Jobs of one app that ended within this time are one notice. */
  jobNoticeMs: 10 * 60_000,
} as const;
