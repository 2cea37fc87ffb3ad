/**
 * A folder as a tarball: the same tree gives the same bytes, wherever it lies and in whatever order its file system lists it.
 * Owner, times, umask and the order of the folder do not count; of the mode only the owner's execute bit does.
 */
import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { blockBytes, padding, writeHeader } from './header.ts';
import { type ArchiveLimits, nameSegments, packageArchive, refuse } from './rules.ts';
import { type Chooser, type WalkedEntry, walkFolder } from './walk.ts';

interface PackOptions {
  /** Name of the one root folder. */
  readonly root: string;
  /** The tarball; must not exist, and is not left behind when packing fails. */
  readonly out: string;
  readonly limits?: ArchiveLimits;
  readonly chosen?: Chooser;
  /** Of gzip; 9 unless said. */
  readonly level?: number;
}

interface Packed {
  /** Hex, of the tarball. */
  readonly sha256: string;
  /** Of the tarball. */
  readonly bytes: number;
  readonly entries: readonly WalkedEntry[];
}

/** Rejects ARCHIVE_REFUSED for what `extractArchive` would refuse. The tarball is on the disk when it resolves. */
export async function packFolder(dir: string, { root, out, limits = packageArchive, chosen, level = 9 }: PackOptions): Promise<Packed> {
  nameSegments(root);
  const entries = walkFolder(dir, limits, chosen);
  for (const { path } of entries) nameSegments(`${root}/${path.replace(/\/$/, '')}`);
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const file = createWriteStream(out, { flags: 'wx', mode: 0o644, flush: true });
  try {
    await pipeline(Readable.from(tarOf(dir, root, entries), { objectMode: false }), createGzip({ level }), measure, file);
    if (bytes > limits.tarballBytesMax) refuse('BYTES', `the tarball is larger than ${limits.tarballBytesMax} bytes`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(out, { force: true });
    throw error;
  }
  return { sha256: hash.digest('hex'), bytes, entries };
}

async function* tarOf(dir: string, root: string, entries: readonly WalkedEntry[]): AsyncGenerator<Buffer> {
  yield writeHeader({ name: `${root}/`, bytes: 0, executable: false });
  for (const entry of entries) {
    yield writeHeader({ ...entry, name: `${root}/${entry.path}` });
    if (entry.path.endsWith('/')) continue;
    yield* contentOf(join(dir, entry.path), entry);
    yield padding(entry.bytes);
  }
  yield Buffer.alloc(2 * blockBytes);
}

/** Exactly the bytes that the header promised: a file that is written to meanwhile is refused, never packed half. */
async function* contentOf(path: string, { bytes, path: shown }: WalkedEntry): AsyncGenerator<Buffer> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ELOOP', 'ENOENT', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) changed(shown);
    throw error;
  }
  try {
    const before = await handle.stat();
    if (!before.isFile() || before.size !== bytes) changed(shown);
    for (let at = 0; at < bytes;) {
      const buffer = Buffer.allocUnsafe(Math.min(256 * 1_024, bytes - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) changed(shown);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    const after = await handle.stat();
    if (after.size !== bytes || after.mtimeMs !== before.mtimeMs) changed(shown);
  } finally {
    await handle.close();
  }
}

function changed(path: string): never {
  return refuse('CHANGED', 'it changed while it was packed; try again', path);
}
