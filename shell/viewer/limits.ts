/** Limits of the viewer. Decision: docs/decisions/0221-the-viewer.md */
export const limits = {
  /** First bytes of a text that are shown. */
  viewerTextBytesMax: 262_144,
  /** Where files have no origin of their own the page holds a picture or a sound whole. */
  viewerBlobBytesMax: 64_000_000,
  /** Bytes of a drawing, which the page reads before the browser draws it. */
  drawingBytesMax: 16_000_000,
  /** Elements that a drawing draws, each use of one counted: a detailed map has some ten thousand. */
  drawnElementsMax: 300_000,
  /** Elements of what the styles of a drawing name (clips, masks, patterns): beyond these they count for each element. */
  drawnByRuleMax: 200,
  /** Names of a folder that "next" and "previous" go through. */
  viewerSiblingsMax: 5_000,
  /** Bytes of a text that is printed: some hundred pages. */
  printTextBytesMax: 2_097_152,
  /** Time that a printed document stays in the page, where the browser does not report when it has it. */
  printKeptMs: 10 * 60_000,
} as const;
