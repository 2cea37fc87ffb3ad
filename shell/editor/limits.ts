/** Limits of the text editor. Decision: docs/decisions/0217-the-text-editor.md */
export const limits = {
  /** A larger file is not opened as text. */
  editorBytesMax: 10_000_000,
  /** Unsaved texts that one browser keeps for one person, and for how long. */
  editorDraftsMax: 50,
  editorDraftMs: 30 * 24 * 60 * 60_000,
  /** A change is kept in the browser so soon after it. */
  editorDraftDelayMs: 300,
} as const;
