/**
 * Values that the browser keeps for this origin, or for this tab. Where a browser keeps nothing (blocked by a setting or a policy) or no
 * more (it is full), the value is remembered as long as this page lives.
 */
export type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** `storage` is asked each time: naming it may throw already. */
export function keptIn(storage: () => Storage): Kept {
  const refused = new Map<string, string | null>();
  const attempt = (name: string, value: string | null, act: () => void): void => {
    try {
      act();
      refused.delete(name);
    } catch {
      refused.set(name, value);
    }
  };
  return {
    getItem: (name) => {
      const own = refused.get(name);
      if (own !== undefined) return own;
      try {
        return storage().getItem(name);
      } catch {
        return null;
      }
    },
    setItem: (name, value) => attempt(name, value, () => storage().setItem(name, value)),
    removeItem: (name) => attempt(name, null, () => storage().removeItem(name)),
  };
}

export const keptHere: Kept = keptIn(() => localStorage);
export const keptInTab: Kept = keptIn(() => sessionStorage);
