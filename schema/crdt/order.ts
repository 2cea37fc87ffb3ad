/**
 * In which order the structs of one update can be integrated, as Yjs does it: the structs of a client in the order of their clocks, each after
 * what it stands on. A struct that stands on itself by way of others is never integrated. Linear in the needs that the update has to meet by itself.
 */
import type { Scan } from './scan.ts';

/** The part of an update that can be integrated now. */
export interface Order {
  /** Client to the first clock that it has no struct for, of what is known and of what the update brings without a hole. */
  readonly reach: ReadonlyMap<number, number>;
  /** Client to the clock of its first struct that can't be integrated. */
  readonly stops: ReadonlyMap<number, number>;
  /** A struct that is in neither; null: everything fits, or what does not fit stands on itself. */
  readonly missing: { readonly client: number; readonly clock: number } | null;
}

/** `scan` is of an update that was scanned with this vector. */
export function orderOf(vector: ReadonlyMap<number, number>, scan: Scan): Order {
  const { reach, hole } = reachOf(vector, scan);
  const stops = new Map<number, number>();
  if (scan.needs.length === 0) return { reach, stops, missing: hole };
  const { needs } = scan;
  const done = doneNeeds(vector, needs, reach);
  let missing = hole;
  for (let n = 0; n < done.length; n += 1) {
    if (done[n] === 1) continue;
    const [client, clock, of, ofClock] = [needs[4 * n]!, needs[4 * n + 1]!, needs[4 * n + 2]!, needs[4 * n + 3]!];
    if (!stops.has(of)) stops.set(of, ofClock);
    if (missing === null && clock >= reachIn(vector, reach, client)) missing = { client, clock };
  }
  return { reach, stops, missing };
}

const reachIn = (vector: ReadonlyMap<number, number>, reach: ReadonlyMap<number, number>, client: number): number =>
  reach.get(client) ?? vector.get(client) ?? 0;

function reachOf(
  vector: ReadonlyMap<number, number>,
  scan: Scan,
): { readonly reach: Map<number, number>; readonly hole: Order['missing'] } {
  const reach = new Map<number, number>();
  let hole: Order['missing'] = null;
  for (let n = 0; n < scan.client.length; n += 1) {
    const client = scan.client[n]!;
    const have = reachIn(vector, reach, client);
    if (scan.from[n]! <= have) reach.set(client, Math.max(have, scan.to[n]!));
    else if (scan.to[n]! > have) hole ??= { client, clock: scan.from[n]! - 1 };
  }
  return { reach, hole };
}

/**
 * Which needs can be met, one byte each. A need waits for the one before it of its own client, and for the last one of the client that it
 * names up to the clock that it names.
 */
function doneNeeds(vector: ReadonlyMap<number, number>, needs: readonly number[], reach: ReadonlyMap<number, number>): Uint8Array {
  const count = needs.length / 4;
  const ranges = rangesByClient(needs);
  /** How many others each still waits for; those that wait for what is nowhere never come to 0. */
  const waits = new Uint8Array(count);
  /** Linked lists of the needs that wait for need `n`: head[n], then next[that], … */
  const head = new Int32Array(count).fill(-1);
  const next = new Int32Array(count).fill(-1);
  for (let n = 0; n < count; n += 1) {
    const [client, clock] = [needs[4 * n]!, needs[4 * n + 1]!];
    if (n > 0 && needs[4 * n - 2] === needs[4 * n + 2]) waits[n]! += 1;
    if (clock >= reachIn(vector, reach, client)) {
      waits[n]! += 2;
      continue;
    }
    const before = lastUpTo(needs, ranges.get(client), clock);
    if (before < 0) continue;
    waits[n]! += 1;
    next[n] = head[before]!;
    head[before] = n;
  }
  const done = new Uint8Array(count);
  const ready = new Int32Array(count);
  let end = 0;
  for (let n = 0; n < count; n += 1) if (waits[n] === 0) ready[end++] = n;
  const release = (n: number): void => {
    waits[n]! -= 1;
    if (waits[n] === 0) ready[end++] = n;
  };
  for (let at = 0; at < end; at += 1) {
    const n = ready[at]!;
    done[n] = 1;
    if (n + 1 < count && needs[4 * n + 2] === needs[4 * n + 6]) release(n + 1);
    for (let other = head[n]!; other >= 0; other = next[other]!) release(other);
  }
  return done;
}

type Range = readonly [from: number, to: number];

/** Needs of one client stand together, since an update has each client once. */
function rangesByClient(needs: readonly number[]): ReadonlyMap<number, Range> {
  const ranges = new Map<number, Range>();
  const count = needs.length / 4;
  for (let from = 0; from < count;) {
    let to = from + 1;
    while (to < count && needs[4 * to + 2] === needs[4 * from + 2]) to += 1;
    ranges.set(needs[4 * from + 2]!, [from, to]);
    from = to;
  }
  return ranges;
}

/** The last need in the range whose struct begins at or before the clock; -1 when there is none. */
function lastUpTo(needs: readonly number[], range: Range | undefined, clock: number): number {
  if (!range) return -1;
  let [low, high] = range;
  const first = low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (needs[4 * middle + 3]! <= clock) low = middle + 1;
    else high = middle;
  }
  return low > first ? low - 1 : -1;
}
