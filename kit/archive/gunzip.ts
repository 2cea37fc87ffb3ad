/**
 * Reads a single gzip member, strictly (RFC 1952): a known header, the deflate stream, the checksum and length that it promises, and nothing behind
 * it. Node's own Gunzip goes on with further members and lets zeros pass, so the deflate stream is fed by hand.
 */
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { limits } from './limits.ts';
import { type ArchiveLimits, refuse } from './rules.ts';

const headerBytes = 10;
const trailerBytes = 8;
const nameFlag = 8;
const nameBytesMax = 1_024;

interface Options {
  readonly tarballBytesMax: ArchiveLimits['tarballBytesMax'];
  readonly onRead?: ((bytesRead: number) => void) | undefined;
}

/** Chunks of the content in order; what is still missing or wrong at the end rejects after the last chunk. */
export async function* gunzip(source: AsyncIterable<Uint8Array>, options: Options): AsyncGenerator<Buffer> {
  // Each chunk is a separate buffer until garbage collection: small ones, and a small young generation (unpack.ts), keep memory flat.
  const inflate = createInflateRaw({ chunkSize: 64 * 1_024 });
  const feeding = feed(source, inflate, options);
  feeding.catch((error: unknown) => inflate.destroy(error as Error));
  let crc = 0;
  let bytes = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      if (bytes > limits.archiveRatioFreeBytes && bytes > inflate.bytesWritten * limits.archiveRatioMax)
        refuse('RATIO', `it unpacks to more than ${limits.archiveRatioMax} times its size`);
      yield chunk;
    }
    const trailer = await feeding;
    if (trailer.readUInt32LE(0) !== crc) refuse('CORRUPT', 'the checksum of the gzip does not fit');
    if (trailer.readUInt32LE(4) !== bytes % 2 ** 32) refuse('CORRUPT', 'the length of the gzip does not fit');
  } catch (error) {
    throw explained(error);
  } finally {
    inflate.destroy();
  }
}

/** Feeds the deflate stream chunk by chunk; resolves to the trailer once the source has ended right behind it. */
async function feed(source: AsyncIterable<Uint8Array>, inflate: InflateRaw, options: Options): Promise<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  let tail: Buffer | null = null;
  let read = 0;
  for await (const given of source) {
    let chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    read += chunk.length;
    if (read > options.tarballBytesMax) refuse('BYTES', `the tarball is larger than ${options.tarballBytesMax} bytes`);
    options.onRead?.(read);
    if (head !== null) {
      head = Buffer.concat([head, chunk]);
      const start = deflateStart(head);
      if (start === null) continue;
      chunk = head.subarray(start);
      head = null;
    }
    if (tail === null) {
      const left: number = await write(inflate, chunk);
      if (left > 0) tail = chunk.subarray(chunk.length - left);
    } else tail = Buffer.concat([tail, chunk]);
    if (tail !== null && tail.length > trailerBytes) refuse('TRAILING', 'there are bytes behind its end');
  }
  if (head !== null) refuse('TRUNCATED', 'it ends within the header of the gzip');
  if (tail === null) await new Promise<void>((resolve) => void inflate.once('close', resolve).end(resolve));
  return tail?.length === trailerBytes ? tail : refuse('TRUNCATED', 'it ends before the checksum of the gzip');
}

/** Where the deflate stream begins; null while the header is not whole. The file name is the only optional field that is accepted. */
function deflateStart(head: Buffer): number | null {
  if (head.length < headerBytes) return null;
  const flags = head[3] as number;
  if (head[0] !== 0x1f || head[1] !== 0x8b || head[2] !== 8 || (flags & ~nameFlag) !== 0) refuse('GZIP', 'it is no plain gzip');
  if (flags === 0) return headerBytes;
  const end = head.indexOf(0, headerBytes);
  if (end === -1 && head.length > headerBytes + nameBytesMax) refuse('GZIP', 'the file name in the gzip is too long');
  return end === -1 ? null : end + 1;
}

/** Bytes of the chunk that the deflate stream did not take since it has ended. */
async function write(inflate: InflateRaw, chunk: Buffer): Promise<number> {
  const before = inflate.bytesWritten;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // A stream that is destroyed may forget the callback of its last write.
  inflate.once('close', resolve);
  inflate.write(chunk, (error) => (error ? reject(error) : resolve()));
  try {
    await promise;
  } finally {
    inflate.off('close', resolve);
  }
  return chunk.length - (inflate.bytesWritten - before);
}

function explained(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  try {
    if (code === 'Z_BUF_ERROR') refuse('TRUNCATED', 'the gzip ends too early');
    if (code === 'Z_DATA_ERROR') refuse('CORRUPT', 'the gzip is damaged');
  } catch (refusal) {
    return refusal;
  }
  return error;
}
