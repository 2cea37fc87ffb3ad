/**
 * Bytes that pass through the process lie outside V8's heap and go with small objects of its young generation. V8 counts them, but when there
 * are too many it marks the whole heap: once for each 15 MB of an upload, a third of its processor time, more with every object that the
 * portal knows. A collection of the young generation alone frees them in a millisecond, if it comes before they are two collections old.
 * Decision: docs/decisions/0257-requests-die-young.md
 */
import { collector } from '../../schema/garbage.ts';
import { workPassed } from '../budgets/loop-time.ts';
import { limits } from '../limits.ts';

/** Returns a function that counts passed bytes. */
export function createYoungMemory(collectYoung: () => void): (bytes: number) => void {
  let moved = 0;
  return (bytes) => {
    moved += bytes;
    if (moved < limits.youngBytes) return;
    moved = 0;
    collectYoung();
  };
}

/** The same pieces, counted. */
export async function* moving(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    bytesMoved(piece.length);
    yield piece;
  }
}

let tell: ((bytes: number) => void) | null = null;

/** Counts bytes that the caller passed on from buffers of their own, for the one heap of this process. */
export function bytesMoved(bytes: number): void {
  workPassed(bytes);
  if (tell === null) {
    const collect = collector();
    tell = createYoungMemory(() => collect({ type: 'minor' }));
  }
  tell(bytes);
}
