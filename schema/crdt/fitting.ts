/**
 * Takes out of an update what depends only on present structs, so that a log never holds structs with missing dependencies: Yjs parks
 * those, and parking is quadratic (4,000 small ones: 27 s of every client's event loop). Off the hot path.
 */
import * as Y from 'yjs';
import { encodeVector, type Knowledge } from './knowledge.ts';
import { orderOf } from './order.ts';
import { scanUpdate, type Scan } from './scan.ts';
import { varuintBytes, writeVaruint } from '../varuint.ts';

interface Struct {
  readonly clock: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
}

interface Section {
  readonly client: number;
  readonly structs: Struct[];
  /** The range of structs that can be integrated without a hole and are not known yet. */
  from: number;
  to: number;
}

/**
 * The part that fits, as a separate update; null when nothing does. The update has been scanned before and is well-formed; `counted` as of
 * that scan.
 */
export function fittingPart({ vector }: Knowledge, update: Uint8Array, counted = true): Uint8Array | null {
  const sections: Section[] = [];
  const scan = scanUpdate(
    update,
    vector,
    {
      section: (client) => void sections.push({ client, structs: [], from: 0, to: 0 }),
      struct: (clock, length, start, end) => void sections.at(-1)!.structs.push({ clock, length, start, end }),
    },
    counted,
  );
  if (!scan) return null;
  const { stops } = orderOf(vector, scan);
  const reached = new Map<number, number>();
  for (const section of sections) reached.set(section.client, fit(section, vector.get(section.client) ?? 0, stops.get(section.client)));
  const deletes: number[] = [];
  for (let n = 0; n < scan.deletes.length; n += 3) {
    const client = scan.deletes[n]!;
    const to = Math.min(scan.deletes[n + 2]!, reached.get(client) ?? vector.get(client) ?? 0);
    if (to > scan.deletes[n + 1]!) deletes.push(client, scan.deletes[n + 1]!, to);
  }
  const kept = sections.filter(({ from, to }) => to > from);
  return kept.length === 0 && deletes.length === 0 ? null : assemble(update, kept, deletes);
}

const endOf = (struct: Struct): number => struct.clock + struct.length;

/** Finds the structs that fit, up to the one that begins at `stop` or the first hole; returns the clock after them. */
function fit(section: Section, have: number, stop = Infinity): number {
  const { structs } = section;
  // Skips known structs: a hole may stand behind them.
  while (section.from < structs.length && endOf(structs[section.from]!) <= have) section.from += 1;
  let reached = have;
  for (section.to = section.from; section.to < structs.length; section.to += 1) {
    const struct = structs[section.to]!;
    if (struct.clock >= stop || struct.clock > reached) break;
    reached = endOf(struct);
  }
  return reached;
}

/**
 * The update without the half of a struct that is known already: if it says something else there, Yjs can lose its way between the two.
 * `scan` is of the update with this vector.
 */
export const newPart = (known: Knowledge, update: Uint8Array, scan: Scan): Uint8Array =>
  scan.overlaps ? Y.diffUpdate(update, encodeVector(known)) : update;

function assemble(update: Uint8Array, sections: readonly Section[], deletes: readonly number[]): Uint8Array {
  const into = new Uint8Array(update.length + 16 * sections.length + 8 * deletes.length + 32);
  let at = writeVaruint(into, 0, sections.length);
  for (const { client, structs, from, to } of sections) {
    for (const value of [to - from, client, structs[from]!.clock]) at = writeVaruint(into, at, value);
    for (const { start, end } of structs.slice(from, to)) {
      into.set(update.subarray(start, end), at);
      at += end - start;
    }
  }
  const byClient = new Map<number, number[]>();
  for (let n = 0; n < deletes.length; n += 3) {
    const ranges = byClient.get(deletes[n]!) ?? [];
    byClient.set(deletes[n]!, ranges);
    ranges.push(deletes[n + 1]!, deletes[n + 2]! - deletes[n + 1]!);
  }
  const values = [byClient.size];
  for (const [client, ranges] of byClient) {
    values.push(client, ranges.length / 2);
    // Not as arguments of one call: there may be hundreds of thousands.
    for (const value of ranges) values.push(value);
  }
  const whole = new Uint8Array(at + values.reduce((sum, value) => sum + varuintBytes(value), 0));
  whole.set(into.subarray(0, at));
  for (const value of values) at = writeVaruint(whole, at, value);
  return whole;
}
