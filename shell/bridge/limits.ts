/** Limits of the shell's end of the bridge. */
export const limits = {
  /** An id of a request that is longer is of no SDK: it is not answered. */
  idCharsMax: 128,
  /** So much of a verb that there is not stands in the answer. */
  verbCharsShown: 64,
} as const;
