/** Bytes of one file, several pieces under way at once: what comes back is in order, and no more of it is held than a window. */
import { FileFault } from './file-fault.ts';
import type { OpenFile } from './file-system.ts';
import { limits } from './limits.ts';

/** `end` is the last byte. Throws when the file ends before it. */
export async function* readRange(file: OpenFile, start: number, end: number, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const ahead: { readonly at: number; readonly length: number; readonly pieces: Promise<readonly Buffer[]> }[] = [];
  const state = { next: start };
  for (;;) {
    while (state.next <= end && ahead.length * pieceBytes < limits.transferWindowBytes) {
      const at = state.next;
      const length = Math.min(pieceBytes, end - at + 1);
      const pieces = file.read(at, length);
      // One that failed is thrown when it is its turn.
      pieces.catch(() => undefined);
      ahead.push({ at, length, pieces });
      state.next += length;
    }
    const first = ahead.shift();
    if (first === undefined) return;
    let got = 0;
    let pieces = await first.pieces;
    for (;;) {
      for (const piece of pieces) {
        got += piece.length;
        yield piece;
      }
      if (got >= first.length) break;
      // Fewer than asked for: the rest of this piece, before the next one.
      if (pieces.length === 0) throw new FileFault('ESHORT');
      pieces = await file.read(first.at + got, first.length - got);
    }
  }
}

/** From its beginning to its end, whatever size the file says. */
export async function* readOn(file: OpenFile, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const pieces = await file.read(at, pieceBytes);
    if (pieces.length === 0) return;
    for (const piece of pieces) {
      at += piece.length;
      yield piece;
    }
  }
}

/** All of it. Files of /proc and the like say that they are empty, and are not. */
export async function* readWhole(file: OpenFile, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const { bytes } = await file.facts();
  yield* bytes === 0 ? readOn(file, pieceBytes) : readRange(file, 0, bytes - 1, pieceBytes);
}

/** Writes go on without a wait for each one's answer. */
export interface Writer {
  /** Resolves when there is room for more. Rejects what an earlier write failed with. */
  put(bytes: Uint8Array): Promise<void>;
  /** Resolves when all of them are written. */
  flush(): Promise<void>;
  /** Behind the last byte that was put. */
  at(): number;
}

export function createWriter(file: OpenFile, from: number, pieceBytes: number): Writer {
  let at = from;
  let underWay = 0;
  let failed: { readonly error: unknown } | null = null;
  /** Of who waits until no more than that is under way. */
  let waiting: { readonly bytesMax: number; readonly go: () => void } | null = null;
  const check = (): void => {
    if (failed !== null) throw failed.error;
  };
  /** What comes in small pieces is written together. */
  let [held, heldBytes]: [Uint8Array[], number] = [[], 0];
  const write = async (pieces: readonly Uint8Array[], bytes: number): Promise<void> => {
    const to = at;
    at += bytes;
    underWay += bytes;
    try {
      await file.write(to, pieces);
    } catch (error) {
      failed ??= { error };
    }
    underWay -= bytes;
    if (waiting === null || underWay > waiting.bytesMax) return;
    waiting.go();
    waiting = null;
  };
  const writeHeld = (): void => {
    if (heldBytes > 0) void write(held, heldBytes);
    [held, heldBytes] = [[], 0];
  };
  const below = async (bytesMax: number): Promise<void> => {
    if (underWay <= bytesMax) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { bytesMax, go: resolve };
    await promise;
  };
  return {
    put: async (bytes) => {
      check();
      for (let done = 0; done < bytes.length;) {
        const piece = bytes.subarray(done, done + pieceBytes - heldBytes);
        held.push(piece);
        heldBytes += piece.length;
        done += piece.length;
        if (heldBytes === pieceBytes) writeHeld();
      }
      await below(limits.transferWindowBytes);
      check();
    },
    flush: async () => {
      writeHeld();
      await below(0);
      check();
    },
    at: () => at + heldBytes,
  };
}

/** All of them, from its beginning; they are written when it resolves, on the disk after a `sync`. */
export async function writeAll(file: OpenFile, pieces: AsyncIterable<Uint8Array>, pieceBytes: number): Promise<void> {
  const writer = createWriter(file, 0, pieceBytes);
  try {
    for await (const piece of pieces) await writer.put(piece);
  } finally {
    await writer.flush();
  }
}

/** All of a small file. */
export async function readAll(file: OpenFile, bytesMax: number, pieceBytes: number): Promise<Buffer> {
  const { bytes } = await file.facts();
  if (bytes > bytesMax) throw new FileFault('EFBIG');
  if (bytes === 0) return Buffer.alloc(0);
  const pieces: Uint8Array[] = [];
  for await (const piece of readRange(file, 0, bytes - 1, pieceBytes)) pieces.push(piece);
  return Buffer.concat(pieces);
}
