/** Limits of questions before an app is given something. Decision: docs/decisions/0381-a-yes-is-no-game.md */
export const limits = {
  /** A question takes clicks when it was in front with the keyboard for so long. */
  questionReadyMs: 500,
} as const;
