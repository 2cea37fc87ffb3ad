/** Counts how often each page takes the keyboard unasked. Decision: docs/decisions/0380-the-keyboard-of-a-question.md */
import { limits } from './limits.ts';

export type TakenFrom = 'secret' | 'question' | 'window';

const takesMax: Readonly<Record<TakenFrom, number>> = {
  secret: limits.secretTakesMax,
  question: limits.questionTakesMax,
  window: limits.windowTakesMax,
};

export interface Takers {
  /** True: too often, its page is to be taken out of the window. */
  took(page: object, from: TakenFrom, nowMs: number): boolean;
  /** It took it before and was not taken out for that: it has no time any more to say that it was pressed. */
  isKnown(page: object): boolean;
  /** It was pressed, and its word of that came late. */
  forgive(page: object): void;
}

export function createTakers(): Takers {
  const takes = new WeakMap<object, readonly number[]>();
  return {
    took: (page, from, nowMs) => {
      const recent = [...(takes.get(page) ?? []).filter((atMs) => atMs + limits.takesWithinMs > nowMs), nowMs];
      const isTooOften = recent.length > takesMax[from];
      if (isTooOften) takes.delete(page);
      else takes.set(page, recent);
      return isTooOften;
    },
    isKnown: (page) => takes.has(page),
    forgive: (page) => void takes.set(page, (takes.get(page) ?? []).slice(0, -1)),
  };
}
