/** Sorted, disjoint, non-touching ranges of clocks of one client: what of it is deleted. Packed, since a typed text has thousands. */
export interface Ranges {
  /** from, to (exclusive), from, to, … */
  pairs: Uint32Array;
  /** Ranges in use. */
  count: number;
}

export const noRanges = (): Ranges => ({ pairs: new Uint32Array(8), count: 0 });

/** Index of the first range that ends at or after `clock`. */
function firstEndingAt({ pairs, count }: Ranges, clock: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pairs[middle * 2 + 1]! >= clock) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function hasRange(ranges: Ranges, from: number, to: number): boolean {
  if (from >= to) return true;
  const index = firstEndingAt(ranges, to);
  return index < ranges.count && ranges.pairs[index * 2]! <= from;
}

export function addRange(ranges: Ranges, from: number, to: number): void {
  if (from >= to) return;
  const first = firstEndingAt(ranges, from);
  let last = first;
  let low = from;
  let high = to;
  while (last < ranges.count && ranges.pairs[last * 2]! <= to) {
    low = Math.min(low, ranges.pairs[last * 2]!);
    high = Math.max(high, ranges.pairs[last * 2 + 1]!);
    last += 1;
  }
  replace(ranges, first, last, low, high);
}

/** Ranges `first` to `last` (exclusive) become one. */
function replace(ranges: Ranges, first: number, last: number, low: number, high: number): void {
  const count = ranges.count - (last - first) + 1;
  if (count * 2 > ranges.pairs.length) {
    const wider = new Uint32Array(Math.max(8, ranges.pairs.length * 2));
    wider.set(ranges.pairs.subarray(0, ranges.count * 2));
    ranges.pairs = wider;
  }
  if (last !== first + 1) ranges.pairs.copyWithin((first + 1) * 2, last * 2, ranges.count * 2);
  ranges.pairs[first * 2] = low;
  ranges.pairs[first * 2 + 1] = high;
  ranges.count = count;
}

/** As so many calls of `addRange`, in any order, which would move the rest at each: hundreds of thousands came in one message. */
export function addRanges(ranges: Ranges, froms: readonly number[], tos: readonly number[]): void {
  const pairs = new Uint32Array(Math.max(8, (ranges.count + froms.length) * 2));
  let count = 0;
  const put = (from: number, to: number): void => {
    if (from >= to) return;
    if (count > 0 && from <= pairs[count * 2 - 1]!) {
      pairs[count * 2 - 1] = Math.max(pairs[count * 2 - 1]!, to);
      return;
    }
    pairs[count * 2] = from;
    pairs[count * 2 + 1] = to;
    count += 1;
  };
  let known = 0;
  const putKnown = (before: number): void => {
    for (; known < ranges.count && ranges.pairs[known * 2]! <= before; known += 1)
      put(ranges.pairs[known * 2]!, ranges.pairs[known * 2 + 1]!);
  };
  for (const n of ascending(froms)) {
    putKnown(froms[n]!);
    put(froms[n]!, tos[n]!);
  }
  putKnown(Infinity);
  ranges.pairs = pairs;
  ranges.count = count;
}

/** The indices in the order of their values. Numbers are sorted natively: a value and its index fit into one. */
function ascending(values: readonly number[]): Iterable<number> {
  if (values.every((value, n) => n === 0 || values[n - 1]! <= value)) return values.keys();
  const width = 2 ** 20;
  if (values.length > width) return [...values.keys()].sort((one, other) => values[one]! - values[other]!);
  return Float64Array.from(values, (value, n) => value * width + n)
    .sort()
    .map((key) => key % width);
}
