/** Lines of a file as bytes, from its end or from a place on. A line ends with a line feed and nothing else: names may hold what others call a line break. */
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../../schema/system-error.ts';
import { limits } from './limits.ts';

const lineFeed = 0x0a;

/** Null: it was dropped meanwhile. */
export async function sizeOf(file: string): Promise<number | null> {
  const handle = await openFile(file);
  try {
    return handle === null ? null : (await handle.stat()).size;
  } finally {
    await handle?.close();
  }
}

async function openFile(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function* blocks(file: string, places: (at: number) => { readonly from: number; readonly to: number } | null, start: number) {
  const handle = await openFile(file);
  if (handle === null) return;
  try {
    for (let at = start, place = places(at); place !== null; place = places(at)) {
      const block = Buffer.alloc(place.to - place.from);
      const { bytesRead } = await handle.read(block, 0, block.length, place.from);
      if (bytesRead === 0) return;
      at = place.from === at ? place.to : place.from;
      yield { block: block.subarray(0, bytesRead), from: place.from };
    }
  } finally {
    await handle.close();
  }
}

/** The last one first; each with its line feed, if it has one. `start`: where it begins. */
export async function* linesBack(file: string, end: number): AsyncGenerator<{ readonly bytes: Buffer; readonly start: number }> {
  const back = (at: number) => (at <= 0 ? null : { from: Math.max(0, at - limits.readBlockBytes), to: at });
  let rest: Buffer = Buffer.alloc(0);
  for await (const { block, from } of blocks(file, back, end)) {
    // Skips bytes longer than any line.
    rest = rest.length > limits.lineBytesMax + limits.readBlockBytes ? block : Buffer.concat([block, rest]);
    let stop = rest.length;
    while (stop > 0) {
      const before = lastBreak(rest, stop);
      // It begins in the block before this one.
      if (before < 0 && from > 0) break;
      yield { bytes: rest.subarray(before + 1, stop), start: from + before + 1 };
      stop = before + 1;
    }
    rest = rest.subarray(0, stop);
  }
}

/** Position of the line break before the line that ends at `stop`; -1: there is none. */
const lastBreak = (rest: Buffer, stop: number): number => (stop < 2 ? -1 : rest.lastIndexOf(lineFeed, stop - 2));

/** Whole lines, the first one first. `end`: where the next one begins. */
export async function* linesOn(
  file: string,
  start: number,
  size: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly end: number }> {
  const on = (at: number) => (at >= size ? null : { from: at, to: Math.min(size, at + limits.readBlockBytes) });
  let rest: Buffer = Buffer.alloc(0);
  for await (const { block, from } of blocks(file, on, start)) {
    const base = from - rest.length;
    rest = Buffer.concat([rest, block]);
    let begin = 0;
    for (let stop = rest.indexOf(lineFeed); stop >= 0; stop = rest.indexOf(lineFeed, begin)) {
      yield { bytes: rest.subarray(begin, stop + 1), end: base + stop + 1 };
      begin = stop + 1;
    }
    rest = rest.subarray(begin);
  }
}
