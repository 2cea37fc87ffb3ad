/** Limits of the viewer. Decision: docs/decisions/0221-the-viewer.md */
export const limits = {
  /** Of a text that is shown: its first bytes. */
  viewerTextBytesMax: 262_144,
  /** Where files have no origin of their own the page holds a picture or a sound whole. */
  viewerBlobBytesMax: 64_000_000,
  /** Of a drawing, which the page reads before the browser draws it. */
  drawingBytesMax: 16_000_000,
  /** Elements that a drawing draws, each use of one counted: a detailed map has some ten thousand. */
  drawnElementsMax: 300_000,
  /** Elements of what the styles of a drawing name (clips, masks, patterns): beyond these they count for each element. */
  drawnByRuleMax: 200,
  /** Names of a folder that "next" and "previous" go through. */
  viewerSiblingsMax: 5_000,
  /** Of a text that is printed: some hundred pages. */
  printTextBytesMax: 2_097_152,
  /** What is printed stays in the page for so long, where the browser does not say when it has it. */
  printKeptMs: 10 * 60_000,
} as const;
