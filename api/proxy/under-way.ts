/**
 * Members that come and go with each request. Not a Set: V8 makes a Set a new table each time it has been filled, and the old table, dead but
 * not yet swept, keeps its members and the next table; so half of all requests outlived the young generation, and collecting them took a
 * fifth of the proxy's time.
 */
export interface Member {
  /** Its place, which only the list uses; -1: none. */
  place: number;
}

export interface UnderWay<Item extends Member> {
  add(item: Item): void;
  /** Nothing when it is no member. */
  delete(item: Item): void;
  count(): number;
  /** The items at this moment; those that leave meanwhile are notified, too. */
  all(): readonly Item[];
}

export function createUnderWay<Item extends Member>(): UnderWay<Item> {
  // It grows and never shrinks: a table that is given up keeps its members too.
  const items: (Item | null)[] = [];
  let count = 0;
  return {
    add: (item) => {
      if (item.place !== -1) return;
      item.place = count;
      items[count] = item;
      count += 1;
    },
    delete: (item) => {
      const { place } = item;
      if (place === -1) return;
      item.place = -1;
      count -= 1;
      // The last one takes its place.
      const last = items[count] ?? null;
      items[count] = null;
      if (last === null || last === item) return;
      items[place] = last;
      last.place = place;
    },
    count: () => count,
    all: () => items.slice(0, count).filter((item) => item !== null),
  };
}
