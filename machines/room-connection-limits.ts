/** Limits of a room connection (rules 3.4, 8), in a file of their own: pages carry them. */
export const limits = {
  // Room connections of pages and backends. Source: rules 8. Decision: docs/decisions/0100-room-connection.md
  roomReconnectMs: 1_000,
  roomReconnectMsMax: 30_000,
  /** A connection that held for so long resets the backoff. */
  roomStableMs: 10_000,
  roomTicketMsMax: 15_000,
  roomOpenMsMax: 15_000,
  /** Time for the contents of a room, which come in one message: a big document over a slow line takes long. */
  roomSyncMsMax: 120_000,
  /** Time without a message after which the portal is asked; `roomProbeMsMax` is its time to answer. */
  roomSilenceMs: 30_000,
  roomProbeMsMax: 10_000,
} as const;
