/** Runs acts of the same name in turn; acts of different names run side by side. */
export type InTurn = <Result>(name: string, act: () => Promise<Result>) => Promise<Result>;

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (name, act) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(act, act);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
