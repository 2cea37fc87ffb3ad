/**
 * A strict reader of Yjs updates, format V1, that builds nothing: which structs an update brings, what they stand on and what it
 * deletes. It takes no more than `Y.decodeUpdate` takes (scan.test.ts compares them), but a declared count costs it nothing, a
 * length never reaches beyond the given bytes, and everything is bounded. Format: INTERNALS.md of yjs; V2 is never read.
 * Decision: docs/decisions/0090-rooms-are-logs.md
 */
import { limits } from '../limits.ts';

/** The result of scanning one update. The same object is reused: it holds until the next scan. */
export interface Scan {
  /** Runs of structs, one entry each: the structs `from` to `to` (exclusive) of `client`. */
  readonly client: number[];
  readonly from: number[];
  readonly to: number[];
  /** Structs of other clients that it depends on and that the given state vector lacks: client, clock, and client and clock of the struct that depends; … */
  readonly needs: number[];
  /** Deleted ranges: client, from, to (exclusive), … */
  readonly deletes: number[];
  /** Structs are left out (Skip): the state has a hole there. */
  gaps: boolean;
  /** A struct begins in what the given state vector has and ends behind it. */
  overlaps: boolean;
  structs: number;
  /**
   * Counts the structs among them that do not follow the struct before them, plus one each for formatting and for deletions. Yjs may have to search
   * for their place.
   */
  wide: number;
}

/** Receives the structs of an update, for code that splits it. Offsets are of the scanned bytes. */
export interface StructSink {
  section(client: number): void;
  struct(clock: number, length: number, start: number, end: number): void;
  /** A dependency of the next reported struct on another client. */
  need?(client: number, clock: number): void;
}

/** Thrown inside only. */
const malformed = new Error('malformed update');

/** Clocks beyond this are refused: 4 · 10⁹ edits by one client are none. */
const clockMax = 0xffff_ffff;

const scan: Scan = { client: [], from: [], to: [], needs: [], deletes: [], gaps: false, overlaps: false, structs: 0, wide: 0 };
const unlimited = { roomUpdateStructsMax: Infinity, roomUpdateClientsMax: Infinity, roomUpdateDocumentsMax: Infinity };
const nothingKnown: ReadonlyMap<number, number> = new Map();
const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const empty = new Uint8Array();
let bytes: Uint8Array = empty;
let at = 0;
let end = 0;
let documents = 0;
let formats = false;
let most: typeof unlimited = limits;

/**
 * Null: no update, or one over a limit. `known` narrows `needs` to what is not known yet. `counted` is off for a whole state that we
 * made ourselves: it may hold more than one update may declare.
 */
export function scanUpdate(
  update: Uint8Array,
  known: ReadonlyMap<number, number> = nothingKnown,
  sink: StructSink | null = null,
  counted = true,
): Scan | null {
  bytes = update;
  at = 0;
  end = update.length;
  documents = 0;
  most = counted ? limits : unlimited;
  scan.client.length = 0;
  scan.from.length = 0;
  scan.to.length = 0;
  scan.needs.length = 0;
  scan.deletes.length = 0;
  scan.gaps = false;
  scan.overlaps = false;
  scan.structs = 0;
  scan.wide = 0;
  formats = false;
  try {
    readSections(known, sink);
    readDeletes();
    scan.wide += (formats ? 1 : 0) + (scan.deletes.length > 0 ? 1 : 0);
    return at === end ? scan : null;
  } catch (error) {
    if (error === malformed) return null;
    throw error;
  } finally {
    // The bytes of a frame are not kept alive by the next one's absence.
    bytes = empty;
  }
}

function uint(): number {
  let value = 0;
  let factor = 1;
  while (at < end) {
    const byte = bytes[at++]!;
    value += (byte & 127) * factor;
    if (byte < 128) {
      if (value > Number.MAX_SAFE_INTEGER) throw malformed;
      return value;
    }
    factor *= 128;
    if (factor > 2 ** 53) throw malformed;
  }
  throw malformed;
}

function clockAfter(clock: number, length: number): number {
  const next = clock + length;
  if (next > clockMax) throw malformed;
  return next;
}

function skip(count: number): void {
  if (count > end - at) throw malformed;
  at += count;
}

function byte(): number {
  if (at >= end) throw malformed;
  return bytes[at++]!;
}

function readSections(known: ReadonlyMap<number, number>, sink: StructSink | null): void {
  const sections = uint();
  if (sections > most.roomUpdateClientsMax) throw malformed;
  let last = Infinity;
  let seen: Set<number> | null = null;
  for (let n = 0; n < sections; n += 1) {
    const count = uint();
    const client = uint();
    // Written in descending order by all known writers. A client that comes twice would hide its first half from Yjs.
    if (client >= last || seen) {
      seen ??= new Set(scan.client);
      if (seen.has(client)) throw malformed;
    }
    seen?.add(client);
    last = client;
    const clock = uint();
    scan.structs += count;
    if (scan.structs > most.roomUpdateStructsMax) throw malformed;
    sink?.section(client);
    readStructs(client, clock, count, known, sink);
  }
}

function readStructs(client: number, first: number, count: number, known: ReadonlyMap<number, number>, sink: StructSink | null): void {
  const have = known.get(client) ?? 0;
  let from = first;
  let clock = clockAfter(first, 0);
  for (let n = 0; n < count; n += 1) {
    const start = at;
    const info = byte();
    if (info === 10) {
      const length = uint();
      if (clock > from) pushRun(client, from, clock);
      scan.gaps = true;
      clock = clockAfter(clock, length);
      from = clock;
      continue;
    }
    const length = (info & 31) === 0 ? uint() : readItem(info, client, clock, known, sink);
    // No client writes one of length 0, and Yjs fails on them.
    if (length === 0) throw malformed;
    const next = clockAfter(clock, length);
    if (clock < have && have < next) scan.overlaps = true;
    sink?.struct(clock, length, start, at);
    clock = next;
  }
  pushRun(client, from, clock);
}

function pushRun(client: number, from: number, to: number): void {
  scan.client.push(client);
  scan.from.push(from);
  scan.to.push(to);
}

/**
 * Reads a dependency of the struct `before` of `client`; true when it is the struct right before. Dependencies on its own client are earlier
 * structs: Yjs looks them up without a check.
 */
function readId(client: number, before: number, known: ReadonlyMap<number, number>, sink: StructSink | null): boolean {
  const other = uint();
  const clock = uint();
  if (clock > clockMax) throw malformed;
  if (other === client) {
    if (clock >= before) throw malformed;
    return clock === before - 1;
  }
  sink?.need?.(other, clock);
  if (clock >= (known.get(other) ?? 0)) scan.needs.push(other, clock, client, before);
  return false;
}

function readItem(info: number, client: number, clock: number, known: ReadonlyMap<number, number>, sink: StructSink | null): number {
  if ((info & 128) === 0 || !readId(client, clock, known, sink)) scan.wide += 1;
  if (info & 64) readId(client, clock, known, sink);
  if ((info & 192) === 0) {
    // The parent: a name of the document's roots, or the struct that holds the type.
    if (uint() === 1) readString();
    else readId(client, clock, known, sink);
    if (info & 32) readString();
  }
  return readContent(info & 31);
}

/** Returns how many clocks the content takes. */
function readContent(kind: number): number {
  switch (kind) {
    case 1: // Deleted
      return uint();
    case 2: {
      // JSON
      const count = uint();
      for (let n = 0; n < count; n += 1) readJson(true);
      return count;
    }
    case 3: // Binary
      skip(uint());
      return 1;
    case 4: // String
      return readString();
    case 5: // Embed
      readJson(false);
      return 1;
    case 6: // Format
      formats = true;
      readString();
      readJson(false);
      return 1;
    case 7: {
      // Type
      const type = uint();
      if (type > 6) throw malformed;
      // An XML element and an XML hook have a name.
      if (type === 3 || type === 5) readString();
      return 1;
    }
    case 8: {
      // Any
      const count = uint();
      for (let n = 0; n < count; n += 1) readAny(0);
      return count;
    }
    case 9: // Doc
      documents += 1;
      if (documents > most.roomUpdateDocumentsMax) throw malformed;
      readString();
      if (bytes[at] !== 118) throw malformed;
      readAny(0);
      return 1;
    default:
      throw malformed;
  }
}

function readAny(depth: number): void {
  if (depth > limits.roomValueDepthMax) throw malformed;
  switch (byte()) {
    case 127: // undefined
    case 126: // null
    case 121: // false
    case 120: // true
      return;
    case 125: // integer
      readInt();
      return;
    case 124: // float32
      return skip(4);
    case 123: // float64
    case 122: // bigint
      return skip(8);
    case 119:
      readString();
      return;
    case 118: {
      // object
      const count = uint();
      for (let n = 0; n < count; n += 1) {
        readString();
        readAny(depth + 1);
      }
      return;
    }
    case 117: {
      // array
      const count = uint();
      for (let n = 0; n < count; n += 1) readAny(depth + 1);
      return;
    }
    case 116: // bytes
      return skip(uint());
    default:
      throw malformed;
  }
}

/** Signed: the first byte holds six bits of value. */
function readInt(): void {
  let value = byte();
  let factor = 64;
  let number = value & 63;
  while (value >= 128) {
    value = byte();
    number += (value & 127) * factor;
    factor *= 128;
    if (number > Number.MAX_SAFE_INTEGER) throw malformed;
  }
}

/** Its length in UTF-16 units, which is what Yjs counts. Refuses what a strict UTF-8 decoder refuses. */
function readString(): number {
  const size = uint();
  if (size > end - at) throw malformed;
  const stop = at + size;
  let units = 0;
  while (at < stop) {
    const lead = bytes[at]!;
    if (lead < 128) {
      at += 1;
      units += 1;
    } else {
      units += multibyte(lead, stop);
    }
  }
  return units;
}

/** Table 3-7 of the Unicode standard: the second byte of some leads is narrower than the rest. */
function multibyte(lead: number, stop: number): number {
  const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  if (lead < 0xc2 || lead > 0xf4 || at + more >= stop) throw malformed;
  const second = bytes[at + 1]!;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) throw malformed;
  for (let n = 2; n <= more; n += 1) if ((bytes[at + n]! & 0xc0) !== 0x80) throw malformed;
  at += more + 1;
  return more === 3 ? 2 : 1;
}

function readJson(mayBeUndefined: boolean): void {
  const size = uint();
  if (size > end - at) throw malformed;
  const part = bytes.subarray(at, at + size);
  at += size;
  try {
    const said = text.decode(part);
    if (mayBeUndefined && said === 'undefined') return;
    if (depthOf(part) > limits.roomValueDepthMax) throw malformed;
    JSON.parse(said);
  } catch {
    throw malformed;
  }
}

/** How deep brackets nest outside strings; code that writes the value again recurses as deep. */
function depthOf(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let n = 0; n < json.length; n += 1) {
    const char = json[n]!;
    if (quoted) {
      if (char === 0x5c) n += 1;
      else if (char === 0x22) quoted = false;
    } else if (char === 0x22) quoted = true;
    else if (char === 0x5b || char === 0x7b) deepest = Math.max(deepest, (depth += 1));
    else if (char === 0x5d || char === 0x7d) depth -= 1;
  }
  return deepest;
}

function readDeletes(): void {
  const clients = uint();
  if (clients > most.roomUpdateClientsMax) throw malformed;
  for (let n = 0; n < clients; n += 1) {
    const client = uint();
    const count = uint();
    if (scan.deletes.length / 3 + count > most.roomUpdateStructsMax) throw malformed;
    for (let range = 0; range < count; range += 1) {
      const clock = uint();
      const to = clockAfter(clock, uint());
      scan.deletes.push(client, clock, to);
    }
  }
}
