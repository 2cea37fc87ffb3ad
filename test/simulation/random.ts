/** Seeded numbers: the same seed gives the same world, so that every found bug can be played again. */
export interface Random {
  /** In [0, 1). */
  readonly next: () => number;
  /** In [from, to], both included. */
  readonly int: (from: number, to: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number],
  };
}
