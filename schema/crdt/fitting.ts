/**
 * Takes out of an update what depends only on present structs, so that a log never holds structs with missing dependencies: Yjs parks
 * those, and parking is quadratic (4,000 small ones: 27 s of every client's event loop). Off the hot path.
 */
import * as Y from 'yjs';
import { encodeVector, type Knowledge } from './knowledge.ts';
import { scanUpdate, type Scan } from './scan.ts';
import { varuintBytes, writeVaruint } from '../varuint.ts';

interface Struct {
  readonly clock: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
  /** client, clock, … of other clients. */
  readonly needs: readonly number[];
}

interface Section {
  readonly client: number;
  readonly structs: Struct[];
  /** How many of them stand firmly. */
  fit: number;
}

/** A chain that zigzags between clients takes a round per turn; the rest is asked for again. */
const roundsMax = 64;

/** The part that fits, as a separate update; null when nothing does. The update has been scanned before and is well-formed. */
export function fittingPart({ vector }: Knowledge, update: Uint8Array): Uint8Array | null {
  const sections: Section[] = [];
  let needs: number[] = [];
  const scan = scanUpdate(update, undefined, {
    section: (client) => void sections.push({ client, structs: [], fit: 0 }),
    need: (client, clock) => void needs.push(client, clock),
    struct: (clock, length, start, end) => {
      sections.at(-1)!.structs.push({ clock, length, start, end, needs });
      if (needs.length > 0) needs = [];
    },
  });
  if (!scan) return null;
  const reached = new Map(vector);
  for (let round = 0; round < roundsMax && sections.map((section) => advance(section, reached)).includes(true); round += 1);
  const deletes: number[] = [];
  for (let n = 0; n < scan.deletes.length; n += 3) {
    const to = Math.min(scan.deletes[n + 2]!, reached.get(scan.deletes[n]!) ?? 0);
    if (to > scan.deletes[n + 1]!) deletes.push(scan.deletes[n]!, scan.deletes[n + 1]!, to);
  }
  const kept = sections.filter(({ client, structs, fit }) => fit > 0 && endOf(structs[fit - 1]!) > (vector.get(client) ?? 0));
  return kept.length === 0 && deletes.length === 0 ? null : assemble(update, kept, deletes);
}

const endOf = (struct: Struct): number => struct.clock + struct.length;

/**
 * The update without the half of a struct that is known already: if it says something else there, Yjs can lose its way between the two.
 * `scan` is of the update with this vector.
 */
export const newPart = (known: Knowledge, update: Uint8Array, scan: Scan): Uint8Array =>
  scan.overlaps ? Y.diffUpdate(update, encodeVector(known)) : update;

/** True when one more struct fits. */
function advance(section: Section, reached: Map<number, number>): boolean {
  const before = section.fit;
  for (; section.fit < section.structs.length; section.fit += 1) {
    const struct = section.structs[section.fit]!;
    const have = reached.get(section.client) ?? 0;
    if (struct.clock > have || !struct.needs.every((clock, n) => n % 2 === 0 || clock < (reached.get(struct.needs[n - 1]!) ?? 0))) break;
    if (endOf(struct) > have) reached.set(section.client, endOf(struct));
  }
  return section.fit > before;
}

function assemble(update: Uint8Array, sections: readonly Section[], deletes: readonly number[]): Uint8Array {
  const into = new Uint8Array(update.length + 16 * sections.length + 8 * deletes.length + 32);
  let at = writeVaruint(into, 0, sections.length);
  for (const { client, structs, fit } of sections) {
    for (const value of [fit, client, structs[0]!.clock]) at = writeVaruint(into, at, value);
    for (const { start, end } of structs.slice(0, fit)) {
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
