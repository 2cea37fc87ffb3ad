/** Remembers the names that were added last; with more than `max` the one that was added first is forgotten. */
export interface LastNames {
  add(name: string): void;
  has(name: string): boolean;
}

export function createLastNames(max: number): LastNames {
  const names = new Set<string>();
  return {
    add: (name) => {
      names.delete(name);
      names.add(name);
      const [oldest] = names;
      if (names.size > max && oldest !== undefined) names.delete(oldest);
    },
    has: (name) => names.has(name),
  };
}
