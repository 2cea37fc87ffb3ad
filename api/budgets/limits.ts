/** Limits of the budgets of people (budgets.ts). */
export const limits = {
  /** Figures are of so long, in so many parts. */
  budgetWindowMs: 60_000,
  budgetWindowParts: 12,
  /** Share of the loop for one person while others are served as well; unused time is kept up to so much work. */
  loopShareOfPerson: 0.5,
  loopOwedMsMax: 200,
  /** More is not owed: whoever took the portal for an hour is answered again some ten seconds after the end of it. */
  loopDebtMsMax: 5_200,
  /** Others are served when one of them was within this time. */
  loopOthersMs: 2_000,
  /** A request waits for its turn for so long, so many of one person at once; further ones are refused. */
  loopWaitMsMax: 2_000,
  loopWaitersMax: 64,
  /** A refusal comes after so long, for as many of one person at once: whoever asks again at each refusal is kept from it. */
  loopRefusalMs: 1_000,
  loopRefusalsMax: 256,
  /** Between two that had waited: the work of the first is counted before the next one begins. */
  loopTurnGapMs: 4,
} as const;
