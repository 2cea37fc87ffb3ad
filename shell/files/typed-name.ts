/** What is typed over a list to find a name: letters that follow each other soon are one beginning, the same letter again goes on to the next. Source: ARIA APG, listbox, type-ahead. */

/** After so long something else is looked for. */
const pauseMs = 1_000;

export interface TypedName {
  /** What is looked for now, and from which entry on. */
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
