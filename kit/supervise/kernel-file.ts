/** A list of the kernel that each pass reads: opened once, and read into a buffer that stays. */
import { closeSync, openSync, readSync } from 'node:fs';
import { limits } from './limits.ts';

/**
 * The function answers what the file holds now, good until its next call; null when it can't be read. With `until` no more is read than the
 * part with that line: for some lists the kernel counts everything anew at each read.
 */
export function kernelFile(path: string, until = ''): () => Buffer | null {
  let fd: number | null = null;
  let buffer = Buffer.alloc(0);
  return () => {
    // A list that was long once.
    if (buffer.length === 0 || buffer.length > limits.kernelFileKeptBytesMax) buffer = Buffer.allocUnsafeSlow(8 * 1_024);
    try {
      fd ??= openSync(path, 'r');
      for (let length = 0; ;) {
        if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length);
        const got = readSync(fd, buffer, length, buffer.length - length, length);
        length += got;
        const text = buffer.subarray(0, length);
        if (got === 0 || (until !== '' && hasLine(text, until))) return text;
      }
    } catch {
      if (fd !== null) closeSync(fd);
      fd = null;
      return null;
    }
  };
}

function hasLine(text: Buffer, start: string): boolean {
  const at = text.indexOf(start);
  return at !== -1 && text.includes('\n', at + start.length);
}
