/**
 * "Extract here": an archive becomes a folder beside it, or what is at its top, where that is one thing. Everything is made in a private folder
 * and gets its name once it is whole. Decision: docs/decisions/0230-unpacking-of-archives.md
 */
import { pipeline } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { SvcError } from '../../../schema/errors.ts';
import { unpackedEnding } from '../../../schema/wire/files.ts';
import { faultPoint } from '../../faults.ts';
import { FileFault, isFault } from '../file-fault.ts';
import { isWithin, joined, nameOf, type FileFacts, type FileSystem, type OpenFile, type PinnedFileSystem } from '../file-system.ts';
import { whileHeld, whilePinned } from '../holding.ts';
import { limits } from '../limits.ts';
import { newId, place } from '../placing.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { createSlices } from '../slices.ts';
import { readRange } from '../transfer.ts';
import { undoableUntilPlaced, type Progress } from '../trees.ts';
import { nothing, refusal, unsupported, type ArchiveEntry } from './entry.ts';
import { tarEntries } from './tar.ts';
import { createTreeWriter } from './tree-writer.ts';
import { zipEntries, type ReadPart } from './zip-entries.ts';

export interface Unpacking {
  readonly progress: Progress;
  /** An entry that is left out; the rest is unpacked. */
  readonly leftOut: (path: Buffer, why: FileFault) => void;
}

/** Answers where it is. Rejects UNPACK_REFUSED, and nothing of it stays. */
export async function unpackTo(fs: FileSystem, archive: Buffer, folder: Buffer, { progress, leftOut }: Unpacking): Promise<Buffer> {
  return await whilePinned(fs, (pinned) =>
    whileHeld(pinned, folder, 'follow', async (held) => {
      const file = await pinned.open(archive, 'read');
      try {
        return await unpackInto(pinned, { file, archive, folder, held }, { progress, leftOut });
      } catch (error) {
        throw told(error, progress.signal);
      } finally {
        await file.close();
      }
    }),
  );
}

interface Packed {
  readonly file: OpenFile;
  readonly archive: Buffer;
  /** Where it goes to, by its path and held. */
  readonly folder: Buffer;
  readonly held: Buffer;
}

/** Name of the unpacked tree in its private folder. */
const rootName = Buffer.from('extraido');

async function unpackInto(
  fs: PinnedFileSystem,
  { file, archive, folder, held }: Packed,
  { progress, leftOut }: Unpacking,
): Promise<Buffer> {
  const name = nameOf(archive);
  const refuseCancelled = undoableUntilPlaced(progress);
  const grown = await makePrivateFolder(fs, held, newId());
  try {
    const root = joined(grown.path, rootName);
    const facts = await file.facts();
    const read = reader(fs, file, progress);
    await fs.makeFolder(root, 0o777);
    const left: (readonly [Buffer, FileFault])[] = [];
    const writer = createTreeWriter(fs, root, { progress, leftOut: (path, why) => left.push([path, why]) });
    const step = createSlices(1);
    for await (const entry of await entriesOf({ file, read, facts, name })) {
      await writer.take(entry);
      await step();
    }
    const tops = await writer.finish();
    refuseCancelled();
    faultPoint('files/unpacked');
    const [from, placed] = await placeTops(fs, { root, folder: held, tops, stem: stemOf(name) });
    // Reported by the path where it would be now.
    for (const [path, why] of left) {
      const below = isWithin(path, from) ? Buffer.concat([nameOf(placed), path.subarray(from.length)]) : path.subarray(root.length + 1);
      leftOut(joined(folder, below), why);
    }
    return joined(folder, nameOf(placed));
  } finally {
    await grown.remove(rootName);
  }
}

interface Made {
  readonly root: Buffer;
  readonly folder: Buffer;
  readonly tops: readonly Buffer[];
  readonly stem: Buffer;
}

/** Answers what it was, and where it is now. */
async function placeTops(fs: FileSystem, { root, folder, tops, stem }: Made): Promise<readonly [Buffer, Buffer]> {
  const only = tops.length === 1 ? tops[0] : undefined;
  const from = only === undefined ? root : joined(root, only);
  const { kind } = await fs.lstat(from);
  const placed = await place(fs, from, joined(folder, only ?? stem), { kind, conflict: 'renomear' });
  if (placed === null) throw new FileFault('EEXIST');
  return [from, placed];
}

/** Reads parts and reports them as done. */
function reader(fs: FileSystem, file: OpenFile, progress: Progress): ReadPart {
  return async function* (start, end) {
    if (end <= start) return;
    for await (const piece of readRange(file, start, end - 1, fs.pieceBytes())) {
      progress.signal.throwIfAborted();
      progress.bytes(piece.length);
      yield piece;
    }
  };
}

/** Bounds the output of an archive: a small one that never ends was not made by a person. */
function bounded(packedBytes: number): Bounded {
  const bytesMax = Math.max(limits.unpackFreeBytes, packedBytes * limits.unpackRatioMax);
  let sum = 0;
  return async function* (pieces) {
    for await (const piece of pieces) {
      sum += piece.length;
      if (sum > bytesMax) throw refusal(`it becomes more than ${limits.unpackRatioMax} times its size`);
      yield piece;
    }
  };
}

type Bounded = (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

const isTarName = /\.(?:tar|tar\.gz|tgz|tar\.zst|tzst)$/i;

function stemOf(name: Buffer): Buffer {
  const text = name.toString('latin1');
  const stem = text.replace(unpackedEnding, '');
  return stem === '' ? name : Buffer.from(stem, 'latin1');
}

const magics = { zip: 'PK', gzip: '\x1f\x8b', zstd: '\x28\xb5\x2f\xfd' } as const;

interface Opened {
  readonly file: OpenFile;
  readonly read: ReadPart;
  readonly facts: FileFacts;
  readonly name: Buffer;
}

async function entriesOf({ file, read, facts, name }: Opened): Promise<AsyncIterable<ArchiveEntry>> {
  const { bytes, modifiedMs } = facts;
  const within = bounded(bytes);
  const head = Buffer.concat(await file.read(0, 4)).toString('latin1');
  if (head.startsWith(magics.zip)) return zipEntries(read, bytes, within);
  const raw = read(0, bytes);
  const source = head.startsWith(magics.gzip)
    ? decoded(raw, createGunzip({ chunkSize: decodedBytes }))
    : head.startsWith(magics.zstd)
      ? decoded(
          raw,
          createZstdDecompress({ chunkSize: decodedBytes, params: { [constants.ZSTD_d_windowLogMax]: limits.unpackWindowLogMax } }),
        )
      : null;
  if (isTarName.test(name.toString('latin1'))) return tarEntries(within(source ?? raw));
  if (source === null) throw refusal('it is of a kind that is not known');
  return single(stemOf(name), within(source), modifiedMs);
}

type Decoder = ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>;
const decodedBytes = 64 * 1_024;

/** Unpacks in other threads, piece by piece. The reader gets the error; an error after the reader has left is ignored. */
function decoded(source: AsyncIterable<Uint8Array>, decoder: Decoder): AsyncIterable<Uint8Array> {
  decoder.on('error', () => undefined);
  return pipeline(source, decoder, () => undefined);
}

/** Yields a file that is packed by itself. */
async function* single(name: Buffer, source: AsyncIterable<Uint8Array>, modifiedMs: number): AsyncGenerator<ArchiveEntry> {
  yield { name, kind: 'file', target: nothing, mode: 0o666, modifiedMs, bytes: 0, content: () => source };
}

/** Turns errors of the format readers into refusals. */
function told(error: unknown, signal: AbortSignal): unknown {
  // Its own words lead behind its end, or it was cut meanwhile.
  if (isFault(error, 'ESHORT')) return refusal('it is damaged', error);
  if ((error as NodeJS.ErrnoException).code === 'ZSTD_error_frameParameter_windowTooLarge')
    return unsupported(
      `its zstd looks back on more than ${2 ** limits.unpackWindowLogMax / 1_024 ** 2} MiB: pack it without --ultra and --long`,
    );
  if (signal.aborted || error instanceof FileFault || error instanceof SvcError) return error;
  return refusal('it is damaged', error);
}
