/** A zip is read from the list at its end: yauzl reads it, and compares sizes and CRC-32. */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { nothing, refusal, unsupported, type ArchiveEntry } from './entry.ts';
import { limits } from '../limits.ts';

/** Bytes from `start` up to and without `end`. */
export type ReadPart = (start: number, end: number) => AsyncIterable<Uint8Array>;

type Within = (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

interface Window {
  readonly start: number;
  readonly bytes: Buffer;
}

/** Heads are a few bytes each, and near each other: they are read in windows, of which two are kept, one of the list and one of the files. */
class PartReader extends RandomAccessReader {
  readonly #read: ReadPart;
  readonly #size: number;
  #windows: readonly Window[] = [];

  constructor(read: ReadPart, size: number) {
    super();
    this.#read = read;
    this.#size = size;
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, callback: (error: Error | null) => void): void {
    if (!Number.isSafeInteger(position) || position < 0 || position + length > this.#size) return callback(refusal('it is damaged'));
    const fill = callbackify(async () => void (await this.#part(position, position + length)).copy(buffer, offset));
    fill(callback);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const held = this.#held(start, end);
    // Its reader gets an error; a later one is ignored.
    return Readable.from(held === null ? this.#read(start, end) : [held], { objectMode: false }).on('error', () => undefined);
  }

  #held(start: number, end: number): Buffer | null {
    const window = this.#windows.find((each) => start >= each.start && end <= each.start + each.bytes.length);
    return window?.bytes.subarray(start - window.start, end - window.start) ?? null;
  }

  async #part(start: number, end: number): Promise<Buffer> {
    const held = this.#held(start, end);
    if (held !== null) return held;
    const pieces: Uint8Array[] = [];
    const windowEnd = Math.max(end, Math.min(start + limits.unpackWindowBytes, this.#size));
    for await (const piece of this.#read(start, windowEnd)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    this.#windows = [{ start, bytes }, ...this.#windows.slice(0, 1)];
    return bytes.subarray(0, end - start);
  }
}

/** `within`: bounds what comes out of all of them. */
export async function* zipEntries(read: ReadPart, bytes: number, within: Within): AsyncGenerator<ArchiveEntry> {
  const zip = await fromRandomAccessReaderPromise(new PartReader(read, bytes), bytes, { lazyEntries: true, autoClose: false }).catch(
    (error: unknown) => {
      throw wordsOf(error);
    },
  );
  const claimed = createClaims(bytes);
  try {
    for await (const entry of zip.eachEntry()) {
      claimed(entry);
      if (entry.isEncrypted()) throw refusal('it is locked by a password');
      if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
        throw unsupported(`it is compressed by ${methodOf(entry)}, not by deflate`);
      yield await entryOf(zip, entry, within);
    }
  } catch (error) {
    throw wordsOf(error);
  }
}

/** Entries that lie in one another say more bytes than the archive has. */
function createClaims(archiveBytes: number): (entry: Entry) => void {
  let claimed = 0;
  let entries = 0;
  return ({ compressedSize, uncompressedSize }) => {
    entries += 1;
    if (entries > limits.unpackEntriesMax) throw refusal(`it has more than ${limits.unpackEntriesMax} entries`);
    claimed += localHeadBytes + compressedSize;
    if (!Number.isSafeInteger(compressedSize) || !Number.isSafeInteger(uncompressedSize) || claimed > archiveBytes)
      throw refusal('it is damaged');
  };
}
const localHeadBytes = 30;

/** APPNOTE 4.4.5. */
const methods: Readonly<Record<number, string>> = {
  1: 'shrink',
  2: 'reduce',
  3: 'reduce',
  4: 'reduce',
  5: 'reduce',
  6: 'implode',
  9: 'deflate64',
  10: 'implode of PKWARE',
  12: 'bzip2',
  14: 'lzma',
  16: 'cmpsc',
  18: 'terse',
  19: 'lz77',
  20: 'zstd',
  93: 'zstd',
  94: 'mp3',
  95: 'xz',
  96: 'jpeg',
  97: 'wavpack',
  98: 'ppmd',
};
const methodOf = ({ compressionMethod }: Entry): string => methods[compressionMethod] ?? `method ${compressionMethod}`;

/** By the words of yauzl. */
function wordsOf(error: unknown): unknown {
  const { message } = error as Error;
  if (/^(?:absolute path|invalid relative path): /.test(message)) return refusal('a name in it leads out of it', error);
  if (message.startsWith('strong encryption')) return refusal('it is locked by a password', error);
  if (message.startsWith('multi-disk')) return unsupported('it is one of several parts');
  return error;
}

const unixHost = 3;
const linkBits = 0o120_000;
const formatBits = 0o170_000;

const utf8Flag = 0x800;
const unicodePath = 0x7075;

/** A name without a word on its letters is CP 437 by the format, and UTF-8 by what programs on Linux write. */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): Buffer {
  const isSaid = (generalPurposeBitFlag & utf8Flag) !== 0 || extraFields.some(({ id }) => id === unicodePath);
  return isSaid || !isUtf8(fileNameRaw) ? Buffer.from(fileName) : Buffer.from(fileNameRaw.toString().replaceAll('\\', '/'));
}

async function entryOf(zip: ZipFile, entry: Entry, within: Within): Promise<ArchiveEntry> {
  const unixMode = entry.versionMadeBy >>> 8 === unixHost ? entry.externalFileAttributes >>> 16 : 0;
  const isFolder = entry.fileName.endsWith('/');
  const isLink = !isFolder && (unixMode & formatBits) === linkBits;
  if (isLink && entry.uncompressedSize > limits.unpackLinkBytesMax) throw refusal('a link in it leads to a name that is too long');
  return {
    name: nameOf(entry),
    kind: isFolder ? 'folder' : isLink ? 'link' : 'file',
    target: isLink ? await whole(zip, entry) : nothing,
    mode: (unixMode & 0o777) === 0 ? (isFolder ? 0o777 : 0o666) : unixMode,
    modifiedMs: entry.getLastModDate().getTime(),
    bytes: entry.uncompressedSize,
    content: () => within(contentOf(zip, entry)),
  };
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
}

async function whole(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of contentOf(zip, entry)) pieces.push(piece);
  return Buffer.concat(pieces);
}
