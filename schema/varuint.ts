/** Unsigned integers of variable length (LEB128), as Yjs and its protocols write them. */

export function varuintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) count += 1;
  return count;
}

/** Returns the offset behind it. The caller sees to the room. */
export function writeVaruint(into: Uint8Array, at: number, value: number): number {
  let rest = value;
  let to = at;
  while (rest > 127) {
    into[to++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  into[to++] = rest;
  return to;
}

/** Reads from front to back; every call answers null, and goes on answering null, once the bytes end too early. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

export function readVaruint(cursor: Cursor): number | null {
  const { bytes } = cursor;
  let value = 0;
  let factor = 1;
  while (cursor.at < bytes.length) {
    const byte = bytes[cursor.at++]!;
    value += (byte & 127) * factor;
    if (byte < 128) return value <= Number.MAX_SAFE_INTEGER ? value : null;
    factor *= 128;
    if (factor > 2 ** 53) return null;
  }
  return null;
}

/** A length and as many bytes, as a view of the same memory. */
export function readVarbytes(cursor: Cursor): Uint8Array | null {
  const size = readVaruint(cursor);
  if (size === null || size > cursor.bytes.length - cursor.at) return null;
  const part = cursor.bytes.subarray(cursor.at, cursor.at + size);
  cursor.at += size;
  return part;
}

/** A run of integers, e.g. a state vector or a delete set. */
export function encodeUints(values: readonly number[]): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (const value of values) size += varuintBytes(value);
  const into = new Uint8Array(size);
  let at = 0;
  for (const value of values) at = writeVaruint(into, at, value);
  return into;
}
