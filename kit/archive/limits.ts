/** Limits of archives. */
export const limits = {
  // Archives. Decision: docs/decisions/0050-own-tar-reader.md
  engineBytesMax: 256 * 1_024 ** 3,
  engineEntriesMax: 200_000,
  archiveNameBytesMax: 1_024,
  archiveSegmentBytesMax: 255,
  archiveDepthMax: 32,
  /** Bytes that come out for one byte that went in, once more than the free bytes came out. */
  archiveRatioMax: 200,
  archiveRatioFreeBytes: 16 * 1_024 * 1_024,
  archivePaxBytesMax: 8 * 1_024,
  /** Zeros behind the end of a tar: its writers fill up their last record. */
  archiveTailBytesMax: 1_024 * 1_024,
} as const;
