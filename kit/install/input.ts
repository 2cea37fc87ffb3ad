/** A tarball that comes on standard input: as many bytes as were announced, into a file that only we can read. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';

export interface Incoming {
  readonly input: Readable;
  readonly bytes: number;
  /** Called once the bytes are read: the input after them is read from here on. */
  readonly whenRead: () => void;
}

/** Rejects DOWNLOAD_FAILED when the sender went away before the last byte; the caller compares the digest. */
export async function receive(path: string, { input, bytes, whenRead }: Incoming): Promise<void> {
  if (bytes > limits.packageTarballBytesMax) {
    throw new SvcError('TOO_LARGE', `the tarball has ${bytes} bytes, at most ${limits.packageTarballBytesMax} are taken`);
  }
  const file = await open(path, 'wx', 0o600);
  let left = bytes;
  try {
    // Read by hand: an iterator that is left ends the stream, and the word to cancel comes behind the bytes.
    while (left > 0) {
      const chunk = await nextChunk(input);
      if (chunk === null) throw new SvcError('DOWNLOAD_FAILED', `the sender went away ${left} bytes before the end; nothing was installed`);
      const part = chunk.subarray(0, left);
      await file.writeFile(part);
      left -= part.length;
      if (part.length < chunk.length) input.unshift(chunk.subarray(part.length));
    }
  } finally {
    await file.close();
  }
  whenRead();
}

/** Null at the end of the stream. */
function nextChunk(input: Readable): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const take = (): void => {
      const chunk = input.read() as Buffer | null;
      if (chunk !== null || input.readableEnded || input.destroyed) done(chunk);
    };
    const end = (): void => done(null);
    const done = (chunk: Buffer | null): void => {
      input.off('readable', take).off('end', end).off('error', end).off('close', end);
      resolve(chunk);
    };
    input.on('readable', take).on('end', end).on('error', end).on('close', end);
    take();
  });
}

/** Calls back when the sender changes its mind, by the line `cancel`. */
export function cancelBy(input: Readable, onCancel: () => void): void {
  let heard = '';
  input.on('error', () => undefined);
  input.on('data', (chunk: Buffer) => {
    if (heard.length > 64) return;
    heard += chunk.toString('latin1');
    if (heard === 'cancel\n') onCancel();
  });
  input.resume();
  // The sender's last bytes are not waited for.
  (input as Readable & { unref?: () => void }).unref?.();
}
