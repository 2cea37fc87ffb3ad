/** Limits of the viewer. Decision: docs/decisions/0221-the-viewer.md */
export const limits = {
  /** Of a text that is shown: its first bytes. */
  viewerTextBytesMax: 262_144,
  /** Where files have no origin of their own the page holds a picture or a sound whole. */
  viewerBlobBytesMax: 64_000_000,
  /** Names of a folder that "next" and "previous" go through. */
  viewerSiblingsMax: 5_000,
} as const;
