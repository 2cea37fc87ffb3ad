/** Limits of the viewer. Decision: docs/decisions/0221-the-viewer.md */
export const limits = {
  /** Of a text that is shown: its first bytes. */
  viewerTextBytesMax: 262_144,
  /** Where files have no origin of their own the page holds a picture or a sound whole. */
  viewerBlobBytesMax: 64_000_000,
  /** Names of a folder that "next" and "previous" go through. */
  viewerSiblingsMax: 5_000,
  /** Of a text that is printed: some hundred pages. */
  printTextBytesMax: 2_097_152,
  /** What is printed stays in the page for so long, where the browser does not say when it has it. */
  printKeptMs: 10 * 60_000,
} as const;
