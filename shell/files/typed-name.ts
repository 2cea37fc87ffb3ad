/**
 * Type-ahead over a list: letters typed soon after each other are one prefix, the same letter again moves to the next entry. Source: ARIA
 * APG, listbox, type-ahead.
 */

/** After so long something else is looked for. */
const pauseMs = 1_000;

export interface TypedName {
  /** Adds a key; returns the prefix to find, and the entry to start from. */
  add(key: string, focus: number): { readonly prefix: string; readonly from: number };
  /** A space is then a letter of it. */
  isUnderWay(): boolean;
  /** Nothing else was typed since. */
  isOf(prefix: string): boolean;
}

export function createTypedName(nowMs: () => number): TypedName {
  let [typed, sinceMs] = ['', -Infinity];
  const isUnderWay = (): boolean => typed !== '' && nowMs() - sinceMs < pauseMs;
  const wanted = (): string => (/^(.)\1+$/u.test(typed) ? typed.slice(0, 1) : typed);
  return {
    isUnderWay,
    isOf: (prefix) => prefix === wanted(),
    add: (key, focus) => {
      const isNew = !isUnderWay();
      typed = isNew ? key : typed + key;
      sinceMs = nowMs();
      const prefix = wanted();
      return { prefix, from: isNew || prefix !== typed ? focus + 1 : focus };
    },
  };
}
