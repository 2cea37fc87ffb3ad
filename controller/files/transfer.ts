/** Bytes of one file, several pieces under way at once: what comes back is in order, and no more of it is held than a window. */
import { FileFault, isFault } from './file-fault.ts';
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
      // A piece that failed is thrown when it is its turn.
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

/** All that there is. Files of /proc say that they are empty, and are not; those of /sys say more than they have, as does a file that is cut meanwhile. */
export async function* readWhole(file: OpenFile, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const { bytes } = await file.facts();
  try {
    yield* bytes === 0 ? readOn(file, pieceBytes) : readRange(file, 0, bytes - 1, pieceBytes);
  } catch (error) {
    if (!isFault(error, 'ESHORT')) throw error;
  }
}

/** Writes go on without a wait for each one's answer. */
export interface Writer {
  /** Resolves when there is room for more. Rejects what an earlier write failed with. */
  put(bytes: Uint8Array): Promise<void>;
  /** Leaves a hole of so many bytes. Behind the last one something has to be put. */
  skip(bytes: number): void;
  /** Resolves when all of them are written. */
  flush(): Promise<void>;
  /** Behind the last byte that was put. */
  at(): number;
}

export function createWriter(file: OpenFile, from: number, pieceBytes: number): Writer {
  let at = from;
  let underWay = 0;
  let failed: { readonly error: unknown } | null = null;
  /** The writer that waits until no more than `bytesMax` is under way. */
  let waiting: { readonly bytesMax: number; readonly go: () => void } | null = null;
  const check = (): void => {
    if (failed !== null) throw failed.error;
  };
  /** Small pieces are written together. */
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
    skip: (bytes) => {
      writeHeld();
      at += bytes;
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

const noBytes = Buffer.alloc(limits.filePieceBytesMax);
const isNothing = (piece: Uint8Array): boolean => Buffer.compare(piece, noBytes.subarray(0, piece.length)) === 0;

/** As writeAll into a new file, but pieces that are all zero stay holes. SFTP does not tell where the holes of another file are. */
export async function writeSparse(file: OpenFile, pieces: AsyncIterable<Uint8Array>, pieceBytes: number): Promise<void> {
  const writer = createWriter(file, 0, pieceBytes);
  /** The last piece, when it is all zero: written at the end of the file, since a hole does not make it longer. */
  let hole: Uint8Array | null = null;
  try {
    for await (const piece of pieces) {
      if (hole !== null) writer.skip(hole.length);
      hole = isNothing(piece) ? piece : null;
      if (hole === null) await writer.put(piece);
    }
    if (hole !== null) await writer.put(hole);
  } finally {
    await writer.flush();
  }
}

/** All of a small file. */
export async function readAll(file: OpenFile, bytesMax: number, pieceBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = (await file.facts()).bytes;
  if (bytes > bytesMax) throw new FileFault('EFBIG');
  bytes = 0;
  for await (const piece of readWhole(file, pieceBytes)) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new FileFault('EFBIG');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
