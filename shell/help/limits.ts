/** Limits of the search of the help. */
export const limits = {
  /** Shown in the list below the field; more words find fewer places. */
  foundMax: 30,
  /** The best ones of a page; one long page would fill the list. */
  foundPerPageMax: 4,
  /** Length of the text that is shown around what was found. */
  excerptChars: 140,
} as const;
