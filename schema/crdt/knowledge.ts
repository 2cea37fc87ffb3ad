/**
 * A room's knowledge of a document that it does not hold: how many structs of each client (its state vector) and the deletions. It says of an update
 * whether it adds anything, and whether all its dependencies are there. Pure but for its own two maps.
 * Decision: docs/decisions/0090-rooms-are-logs.md
 */
import { addRange, addRanges, hasRange, noRanges, type Ranges } from './ranges.ts';
import { orderOf } from './order.ts';
import type { Scan } from './scan.ts';
import { encodeUints, readVaruint, type Cursor } from '../varuint.ts';

export interface Knowledge {
  readonly vector: Map<number, number>;
  readonly deleted: Map<number, Ranges>;
}

/**
 * `early`: it depends on the struct `clock` of `client`, which isn't here yet. `circular`: of its structs some stand on each other in a circle, so
 * that no document ever integrates them; no client writes such.
 */
export type Verdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'known' }
  | { readonly kind: 'circular' }
  | { readonly kind: 'early'; readonly client: number; readonly clock: number };

const isNew: Verdict = { kind: 'new' };
const isKnown: Verdict = { kind: 'known' };
const isCircular: Verdict = { kind: 'circular' };

export const knowsNothing = (): Knowledge => ({ vector: new Map(), deleted: new Map() });

/** `scan` is of an update that was scanned with this vector. */
export function judge({ vector, deleted }: Knowledge, scan: Scan): Verdict {
  let adds = false;
  for (let n = 0; n < scan.client.length; n += 1) {
    const have = vector.get(scan.client[n]!) ?? 0;
    const to = scan.to[n]!;
    if (to <= have) continue;
    if (scan.from[n]! > have) return { kind: 'early', client: scan.client[n]!, clock: scan.from[n]! - 1 };
    adds = true;
  }
  const order = scan.needs.length > 0 || (adds && scan.deletes.length > 0) ? orderOf(vector, scan) : null;
  if (order?.missing) return { kind: 'early', ...order.missing };
  if (order && order.stops.size > 0) return isCircular;
  for (let n = 0; n < scan.deletes.length; n += 3) {
    const client = scan.deletes[n]!;
    const to = scan.deletes[n + 2]!;
    if (to > (order?.reach.get(client) ?? vector.get(client) ?? 0)) return { kind: 'early', client, clock: to - 1 };
    if (adds) continue;
    const ranges = deleted.get(client);
    if (!ranges ? to > scan.deletes[n + 1]! : !hasRange(ranges, scan.deletes[n + 1]!, to)) adds = true;
  }
  return adds ? isNew : isKnown;
}

/** Takes in what was judged `new`, or what is known to be in the log. */
export function learn({ vector, deleted }: Knowledge, scan: Scan): void {
  for (let n = 0; n < scan.client.length; n += 1) {
    const client = scan.client[n]!;
    const have = vector.get(client) ?? 0;
    // Behind a hole nothing is known.
    if (scan.from[n]! <= have && scan.to[n]! > have) vector.set(client, scan.to[n]!);
  }
  const isFew = scan.deletes.length <= 3 * fewDeletes;
  const many = new Map<number, { readonly froms: number[]; readonly tos: number[] }>();
  for (let n = 0; n < scan.deletes.length; n += 3) {
    const client = scan.deletes[n]!;
    const from = scan.deletes[n + 1]!;
    const to = scan.deletes[n + 2]!;
    if (isFew) {
      addRange(rangesOf(deleted, client), from, to);
      continue;
    }
    let own = many.get(client);
    if (!own) many.set(client, (own = { froms: [], tos: [] }));
    own.froms.push(from);
    own.tos.push(to);
  }
  for (const [client, { froms, tos }] of many) addRanges(rangesOf(deleted, client), froms, tos);
}

/** At most so many ranges are handled one at a time, as typing produces them. */
const fewDeletes = 8;

function rangesOf(deleted: Knowledge['deleted'], client: number): Ranges {
  let ranges = deleted.get(client);
  if (!ranges) deleted.set(client, (ranges = noRanges()));
  return ranges;
}

/** As Yjs encodes it: clients, then client and clock of each, the greatest client first. */
export function encodeVector({ vector }: Knowledge): Uint8Array<ArrayBuffer> {
  const clients = [...vector.keys()].sort((one, other) => other - one);
  return encodeUints([clients.length, ...clients.flatMap((client) => [client, vector.get(client)!])]);
}

/** Null when it is none, or lists more clients than `clientsMax`. */
export function decodeVector(bytes: Uint8Array, clientsMax: number): Map<number, number> | null {
  const cursor: Cursor = { bytes, at: 0 };
  const count = readVaruint(cursor);
  if (count === null || count > clientsMax) return null;
  const vector = new Map<number, number>();
  for (let n = 0; n < count; n += 1) {
    const client = readVaruint(cursor);
    const clock = readVaruint(cursor);
    if (client === null || clock === null) return null;
    vector.set(client, clock);
  }
  return cursor.at === bytes.length ? vector : null;
}

/** Whether the state `theirs` contains every struct of `ours`. */
export function covers(theirs: ReadonlyMap<number, number>, ours: ReadonlyMap<number, number>): boolean {
  for (const [client, clock] of ours) if ((theirs.get(client) ?? 0) < clock) return false;
  return true;
}

/** An update that brings no structs, only what is deleted. */
export function deletesAsUpdate({ deleted }: Knowledge): Uint8Array<ArrayBuffer> {
  const clients = [...deleted.entries()].filter(([, { count }]) => count > 0).sort(([one], [other]) => other - one);
  const values: number[] = [0, clients.length];
  for (const [client, { pairs, count }] of clients) {
    values.push(client, count);
    for (let n = 0; n < count; n += 1) values.push(pairs[n * 2]!, pairs[n * 2 + 1]! - pairs[n * 2]!);
  }
  return encodeUints(values);
}
