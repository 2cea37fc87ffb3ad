/**
 * The updates since the base, as the frames that go to the sockets, packed into pages: one copy out of the receive buffer serves the
 * sockets, the log and later joins. Offsets count from the beginning of the room's life in memory and never go back.
 */
import { updateFrameBytes, writeUpdateFrame } from '../../../schema/room-frames.ts';

interface Page {
  readonly from: number;
  bytes: Buffer;
  used: number;
}

export interface Tail {
  readonly pages: Page[];
  /** Offsets of the first kept byte, and behind the last. */
  start: number;
  end: number;
}

const pageBytesMin = 512;
const pageBytesMax = 64 * 1_024;

export const emptyTail = (): Tail => ({ pages: [], start: 0, end: 0 });

/** A place for so many bytes at the end. */
function room(tail: Tail, size: number): Page {
  const last = tail.pages.at(-1);
  if (last && last.bytes.length - last.used >= size) return last;
  if (last && last.bytes.length < pageBytesMax && last.used + size <= pageBytesMax) {
    // The old memory stays with the sockets that are still sending it.
    const wider = Buffer.allocUnsafeSlow(Math.min(pageBytesMax, Math.max(last.bytes.length * 2, last.used + size)));
    last.bytes.copy(wider, 0, 0, last.used);
    last.bytes = wider;
    return last;
  }
  const page: Page = { from: tail.end, bytes: Buffer.allocUnsafeSlow(Math.max(size, last ? pageBytesMax : pageBytesMin)), used: 0 };
  tail.pages.push(page);
  return page;
}

/** Copies the update in, as one frame. */
export function appendUpdate(tail: Tail, update: Uint8Array): void {
  const size = updateFrameBytes(update.length);
  const page = room(tail, size);
  writeUpdateFrame(page.bytes, page.used, update);
  page.used += size;
  tail.end += size;
}

/** Takes in frames as they were stored. */
export function appendFrames(tail: Tail, frames: Uint8Array): void {
  if (frames.length === 0) return;
  const page = room(tail, frames.length);
  page.bytes.set(frames, page.used);
  page.used += frames.length;
  tail.end += frames.length;
}

/** The bytes between two offsets, without copying. Written bytes never change. */
export function slicesOf({ pages }: Tail, from: number, to: number): Buffer[] {
  const slices: Buffer[] = [];
  if (from >= to) return slices;
  for (let n = pages.length - 1; n >= 0; n -= 1) {
    const page = pages[n]!;
    if (page.from >= to) continue;
    slices.unshift(page.bytes.subarray(Math.max(0, from - page.from), Math.min(page.used, to - page.from)));
    if (page.from <= from) break;
  }
  return slices;
}

/** Forgets everything before the offset, and gives its memory back. */
export function dropBefore(tail: Tail, offset: number): void {
  const kept = slicesOf(tail, offset, tail.end);
  tail.pages.length = 0;
  tail.start = offset;
  const size = tail.end - offset;
  if (size === 0) return;
  const bytes = Buffer.concat(kept);
  tail.pages.push({ from: offset, bytes, used: size });
}
