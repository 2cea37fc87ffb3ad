/** A zip is read from the list at its end: yauzl reads it, and compares sizes and CRC-32. */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { nothing, refusal, type ArchiveEntry } from './entry.ts';
import { limits } from '../limits.ts';

/** Bytes from `start` up to and without `end`. */
export type ReadPart = (start: number, end: number) => AsyncIterable<Uint8Array>;

class PartReader extends RandomAccessReader {
  readonly #read: ReadPart;

  constructor(read: ReadPart) {
    super();
    this.#read = read;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    // The one that reads it is told of an error; one that comes later is none.
    return Readable.from(this.#read(start, end), { objectMode: false }).on('error', () => undefined);
  }
}

export async function* zipEntries(read: ReadPart, bytes: number): AsyncGenerator<ArchiveEntry> {
  const zip = await fromRandomAccessReaderPromise(new PartReader(read), bytes, { lazyEntries: true, autoClose: false });
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw refusal('it is locked by a password');
    yield await entryOf(zip, entry);
  }
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

async function entryOf(zip: ZipFile, entry: Entry): Promise<ArchiveEntry> {
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
    content: () => contentOf(zip, entry),
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
