/** Limits of rooms, their relay, notices and attachments (rules 3.4, 8). */
export const limits = {
  // Rooms. Source: rules 8. Decision: docs/decisions/0095-who-is-in-a-room.md
  /** So many at once of one person, and how soon one more. */
  roomTicketsBurst: 1_024,
  roomTicketRefillMs: 50,
  /** Openings with one ticket: a page takes a new one for each attempt. */
  roomTicketUsesMax: 64,
  roomChangesBurst: 200,
  roomChangeRefillMs: 500,
  /** Deleted rooms stay in the bin for so long. Decision: docs/decisions/0449-a-bin-for-rooms.md */
  roomBinMs: 30 * 24 * 60 * 60_000,
  /** Days for which versions of rooms are kept, unless the Portal document says otherwise. */
  roomHistoryDaysDefault: 365,
  /** Versions that are looked at or brought back. */
  versionsBurst: 120,
  versionRefillMs: 500,
  /** Questions of one person that wait for each other. */
  versionsWaitingMax: 32,
  noticesBurst: 60,
  noticeRefillMs: 2_000,
  /** Notices of an app to its own person. */
  appNoticesBurst: 10,
  appNoticeRefillMs: 6_000,
  searchesBurst: 60,
  searchRefillMs: 250,
  // Attachments. Decision: docs/decisions/0099-attachments.md
  attachmentBytesMax: 32 * 1_024 * 1_024,
  roomAttachmentBytesMax: 512 * 1_024 * 1_024,
  /** Coming in at once, in all and of one person. */
  attachmentUploadsMax: 32,
  attachmentUploadsPerPersonMax: 6,
  /** Neither put nor seen in a document for so long: it goes. */
  attachmentGraceMs: 7 * 24 * 60 * 60_000,
  attachmentSweepMs: 6 * 60 * 60_000,
  /** Grace of what the store does not know; it restarts after so long without a check. Decision: docs/decisions/0140 */
  attachmentUnknownMs: 30 * 24 * 60 * 60_000,
  attachmentSweepGapMsMax: 48 * 60 * 60_000,
  /** Age at which the leftovers of an interrupted upload go. */
  attachmentStagingMsMax: 60 * 60_000,
  // The relay of rooms. Decision: docs/decisions/0090-rooms-are-logs.md
  /** Parts of one message. Clients send it whole. */
  roomFrameFragmentsMax: 1_024,
  /** Size of a document as it is kept: the base and its tail. */
  roomStateBytesMax: 16 * 1_024 * 1_024,
  roomSocketsMax: 2_000,
  /** Sockets of one person in one document: a class behind one account fits, and three more people find a place. */
  roomSocketsPerPersonMax: 512,
  /** Updates that stand on others which are not here yet. */
  roomHeldUpdatesMax: 64,
  roomHeldBytesMax: 1_024 * 1_024,
  roomHeldRoomBytesMax: 8 * 1_024 * 1_024,
  /** Bytes that may wait for a client which does not read, beyond the answer to its own question. */
  roomSocketBufferedBytesMax: 4 * 1_024 * 1_024,
  /** After a sending a room waits for more, so many times as long as that took, and no longer than this, divided by the changes that wait: of text. */
  roomGatherCosts: 20,
  roomGatherMs: 5,
  /** And of presence. */
  roomPresenceGatherCosts: 40,
  roomPresenceGatherMs: 12,
  /** But no less than so many times what sending takes beyond so much for each change that waits. */
  roomGatherCostsMin: 3,
  roomGatherChangeMs: 0.02,
  /** And so many times longer at most while the event loop is busy, but never longer than this. */
  roomGatherBusyMax: 8,
  roomGatherMsMax: 40,
  /** Rooms of so many sockets come after the small ones, for so long in one turn of the loop. */
  roomLargeSocketsMin: 32,
  roomTurnMs: 8,
  /** How long the load of the loop is taken to be what it was. */
  roomLoadMs: 100,
  /** Bounds of one socket: at once, and per second. */
  roomFramesBurstMax: 1_000_000,
  roomFramesPerSecondMax: 20_000,
  roomBytesBurstMax: 64 * 1_024 * 1_024,
  roomBytesPerSecondMax: 8 * 1_024 * 1_024,
  // Cost of an update for the others. Decision: docs/decisions/0378-what-an-update-costs.md
  /** Steps that may be taken in one room without having been measured: 0.2 to 0.4 s of a page. */
  roomUnmeasuredStepsMax: 1_000_000,
  /** Measured cost that is allowed per byte, four times that of typing; and the excess that is allowed at once, and per second. */
  roomCostFreeMs: 250,
  roomCostMsPerSecond: 10,
  roomCostMicrosPerByteMax: 4,
  /** Types inside one another. */
  roomTypeDepthMax: 256,
  /** Time of a processor for a measurement, which builds the document of the room beside it. */
  roomMeasureMsMax: 30_000,
  /** Updates that wait for it, in all rooms together. */
  roomMeasuredBytesMax: 32 * 1_024 * 1_024,
  /** So long nothing more is measured of somebody whose update could not be measured in time; of one who wrote what was too costly it is refused for longer. */
  roomUnmeasuredBarMs: 60_000,
  roomCostlyBarMs: 10 * 60_000,
  // Durability. Decision: docs/decisions/0091-commit-window.md
  /** The part of it in which updates are gathered. */
  roomCommitGatherMs: 30,
  roomCommitRetryMs: 250,
  roomCommitRetryMsMax: 5_000,
  /** Received and not yet on the disk, all rooms together. */
  roomPendingBytesMax: 64 * 1_024 * 1_024,
  /** And of a room that is taken also when all together have more. */
  roomPendingFreeBytes: 1_024 * 1_024,
  roomCloseMsMax: 5_000,
  roomGoodbyeMs: 500,
  // Compaction.
  roomCompactUpdatesMin: 200,
  roomCompactBytesMin: 256 * 1_024,
  roomCompactQuietMs: 500,
  roomCompactWaitMsMax: 10_000,
  roomCompactRetryMs: 60_000,
  roomCompactRetryMsMax: 60 * 60_000,
  /** Time in which an edit that brings a version back is written. */
  roomRevertWrittenMsMax: 10_000,
  /** A room without sockets is forgotten after so long. */
  roomLingerMs: 1_000,
  // Budget of rooms. Decision: docs/decisions/0142-budget-of-rooms.md
  /** Open documents, of one owner and in all; and what an open one takes beside its bytes. */
  roomMemoryPerPersonBytesMax: 64 * 1_024 * 1_024,
  roomMemoryBytesMax: 512 * 1_024 * 1_024,
  /** Share of either budget for the rooms of one app. Decision: docs/decisions/0165-shares-of-the-room-budget.md */
  roomMemoryShareOfApp: 0.75,
  roomMemoryOverheadBytes: 16 * 1_024,
  /** How often the documents and attachments of one owner on the disk are measured; and the free space that is left for everything else. */
  roomDiskPerPersonBytesMax: 4 * 1_024 ** 3,
  /**
   * A room whose owner leaves goes to a person whose rooms hold no more than this with it: half of their own space, so that rooms that nobody asked
   * for never fill it. So many people are asked.
   */
  roomDiskInheritedBytesMax: 2 * 1_024 ** 3,
  roomHeirsAskedMax: 16,
  roomDiskPollMs: 60_000,
  /** So much let go is collected once it was quiet for a moment, and no sooner than so long after the last time. */
  roomReclaimBytesMin: 16 * 1_024 * 1_024,
  roomReclaimQuietMs: 1_000,
  roomReclaimMs: 10_000,
  // Presence. Decision: docs/decisions/0092-presence-table.md
  roomPresenceIdsPerSocketMax: 4,
  roomPresenceBytesMax: 16 * 1_024,
  /** Kept of one person in one document, and of all: the whole table fits in what a slow reader may have waiting. */
  roomPresencePersonBytesMax: 384 * 1_024,
  roomPresenceRoomBytesMax: 1_536 * 1_024,
  /** Size of an entry beside its text: the portal's statement of the person. */
  roomPresenceOverheadBytes: 256,
  /** Presence that one person may publish in one document: at once, and per second. */
  roomPresenceBurstBytes: 2 * 1_024 * 1_024,
  roomPresenceBytesPerSecond: 384 * 1_024,
  /** Entries in a frame: a client may repeat those of everybody that it sees. */
  roomPresenceEntriesMax: 10_000,
  roomPingMs: 20_000,
} as const;
