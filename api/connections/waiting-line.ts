/**
 * Members in the order in which they came, who leave from anywhere. Not a Set: of one whose members come and go with each request V8 makes a new
 * table again and again, and the old ones grow old (docs/decisions/0257-requests-die-young.md).
 */
export interface Place<Item> {
  readonly item: Item;
  isTaken: boolean;
  before: Place<Item> | null;
  after: Place<Item> | null;
}

export interface Line<Item> {
  /** At the end. Nothing for a place that is taken. */
  join(place: Place<Item>): void;
  /** Nothing for a place that is not taken. */
  quit(place: Place<Item>): void;
  first(): Item | null;
  all(): readonly Item[];
}

export const placeOf = <Item>(item: Item): Place<Item> => ({ item, isTaken: false, before: null, after: null });

export function createLine<Item>(): Line<Item> {
  let first: Place<Item> | null = null;
  let last: Place<Item> | null = null;
  return {
    join: (place) => {
      if (place.isTaken) return;
      place.isTaken = true;
      place.before = last;
      if (last === null) first = place;
      else last.after = place;
      last = place;
    },
    quit: (place) => {
      if (!place.isTaken) return;
      const { before, after } = place;
      if (before === null) first = after;
      else before.after = after;
      if (after === null) last = before;
      else after.before = before;
      place.isTaken = false;
      place.before = null;
      place.after = null;
    },
    first: () => first?.item ?? null,
    all: () => {
      const items: Item[] = [];
      for (let place = first; place !== null; place = place.after) items.push(place.item);
      return items;
    },
  };
}
