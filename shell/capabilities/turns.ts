/** So many at once, and the others in the order in which they came. */
export interface Turns {
  /** Resolves with what gives the turn back; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createTurns(max: number): Turns {
  let free = max;
  const waiting = new Set<() => void>();
  const turn = (): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const [first] = waiting;
      if (first === undefined) free += 1;
      else first();
    };
  };
  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return turn();
      }
      return await new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(next);
          reject(signal.reason as Error);
        };
        const next = (): void => {
          waiting.delete(next);
          signal.removeEventListener('abort', leave);
          resolve(turn());
        };
        waiting.add(next);
        signal.addEventListener('abort', leave);
      });
    },
  };
}
