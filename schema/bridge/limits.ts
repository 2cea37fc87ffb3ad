/** How long the desktop works on what the page of an app asks, and how much it takes. Source: rules 4.3; the figures are ours. */
export const limits = {
  /** Deadline of verbs that the desktop answers by itself: windows, appearance. */
  verbAnswerMs: 9_000,
  /** Deadline of verbs that ask the portal: rooms, people. */
  portalVerbAnswerMs: 20_000,
  /** An attachment of a room, as large as it may be. */
  attachmentVerbAnswerMs: 180_000,
  /** How much longer the page waits than the desktop works, so that it gets the desktop's own refusal. */
  verbAnswerGraceMs: 1_000,
  /** A place inside an app (`rota`), in characters. Source: rules 2.2 and 8. */
  routeCharsMax: 512,
  /** An address that is opened outside the app. */
  linkCharsMax: 4_096,
  /** Bounds of a call of an app to another: its path with the query, its headers. */
  callPathCharsMax: 8_192,
  callHeadersMax: 64,
  callHeaderCharsMax: 16_384,
  /** Chunks that may be on the way or unread, each way. */
  callChunksMax: 8,
  /** Size of a chunk that the page sends. */
  callChunkBytesMax: 262_144,
  // Questions of an app, which the desktop draws.
  questionCharsMax: 500,
  questionLinesMax: 16,
  questionAnswerCharsMax: 1_000,
  questionButtonCharsMax: 80,
  questionChoicesMax: 50,
  // Files of the person.
  /** A path in its exact form: each byte may be written as three characters. */
  filePathCharsMax: 12_288,
  pickedExtensionsMax: 64,
  /** Size of one read or one write. */
  diskBytesMax: 256 * 1_024 * 1_024,
  /** Text of a notice of an app to its own person. */
  noticeCharsMax: 200,
  /** Name of the unsaved work of a window, shown in the question before the window is closed. */
  unsavedNameCharsMax: 120,
  // Tabs of a window.
  tabsMax: 50,
  tabTitleCharsMax: 80,
};
