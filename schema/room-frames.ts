/**
 * A message of a room as a server's WebSocket frame: binary, whole, unmasked, so that the same bytes go to every socket and into the log. Messages:
 * y-websocket (varuint 0 sync, 1 awareness, 3 query; sync: 0 step 1, 1 step 2, 2 update).
 * Source: RFC 6455 5.2; y-protocols PROTOCOL.md. Decision: docs/decisions/0090-rooms-are-logs.md
 */
import { type Cursor, readVarbytes, varuintBytes, writeVaruint } from './varuint.ts';

export const messages = { sync: 0, awareness: 1, auth: 2, queryAwareness: 3 } as const;
export const syncs = { step1: 0, step2: 1, update: 2 } as const;

const binaryWhole = 0x82;

const headBytes = (size: number): number => (size < 126 ? 2 : size < 65_536 ? 4 : 10);

/** Bytes that the frame of an update of so many bytes takes. */
export function updateFrameBytes(size: number): number {
  const payload = 2 + varuintBytes(size) + size;
  return headBytes(payload) + payload;
}

function writeHead(into: Uint8Array, at: number, size: number): number {
  into[at] = binaryWhole;
  if (size < 126) {
    into[at + 1] = size;
    return at + 2;
  }
  if (size < 65_536) {
    into[at + 1] = 126;
    into[at + 2] = size >>> 8;
    into[at + 3] = size & 255;
    return at + 4;
  }
  into[at + 1] = 127;
  for (let n = 0, rest = size; n < 8; n += 1, rest = Math.floor(rest / 256)) into[at + 9 - n] = rest % 256;
  return at + 10;
}

/** Writes the frame of an update; returns the offset behind it. The caller sees to the room (`updateFrameBytes`). */
export function writeUpdateFrame(into: Uint8Array, at: number, update: Uint8Array): number {
  const size = 2 + varuintBytes(update.length) + update.length;
  let to = writeHead(into, at, size);
  into[to++] = messages.sync;
  into[to++] = syncs.update;
  to = writeVaruint(into, to, update.length);
  into.set(update, to);
  return to + update.length;
}

/** A message of some type bytes and one length-prefixed content. */
export function frameOf(types: readonly number[], content: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = types.length + varuintBytes(content.length) + content.length;
  const into = new Uint8Array(headBytes(size) + size);
  let at = writeHead(into, 0, size);
  for (const type of types) into[at++] = type;
  at = writeVaruint(into, at, content.length);
  into.set(content, at);
  return into;
}

/** The contents of a run of update frames, as views. Throws when the run is anything else: it was read from a damaged file. */
export function updatesIn(frames: Uint8Array): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let at = 0; at < frames.length;) {
    const short = frames[at + 1] ?? 128;
    const from = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    let size = short;
    if (short > 125) for (size = 0, at += 2; at < from; at += 1) size = size * 256 + (frames[at] ?? 0);
    const payload = frames.subarray(from, from + size);
    const cursor: Cursor = { bytes: payload, at: 2 };
    const update = payload[0] === messages.sync && payload[1] === syncs.update ? readVarbytes(cursor) : null;
    if (short > 127 || update === null || payload.length !== size || cursor.at !== size) throw new Error('a frame in the log is damaged');
    found.push(update);
    at = from + size;
  }
  return found;
}

/** Frame of an empty awareness message: a page's JavaScript receives it, unlike a ping. It changes nothing. */
export const nothingFrame: Uint8Array = frameOf([messages.awareness], Uint8Array.of(0));
