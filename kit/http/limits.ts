/** Limits of what we ask over HTTP. */
export const limits = {
  answerHeadBytesMax: 32 * 1_024,
  redirectsMax: 5,
} as const;
