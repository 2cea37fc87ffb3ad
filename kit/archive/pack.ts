/**
 * A folder as a tarball: the same tree gives the same bytes, in any place and any listing order. Owner, times, umask and order do not
 * count; of the mode only the owner's execute bit does.
 */
import { createHash } from 'node:crypto';
import { closeSync, createWriteStream, fstatSync, read as readCallback } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { openBeneath, openNamed } from '../beneath.ts';
import { padding, writeHeader } from './header.ts';
import { type ArchiveLimits, nameSegments, packageArchive, refuse } from './rules.ts';
import { blockBytes } from './tar-frames.ts';
import { type Chooser, unchanged, type WalkedEntry, walkOpen } from './walk.ts';

const read = promisify(readCallback);

interface PackOptions {
  /** Name of the one root folder. */
  readonly root: string;
  /** The tarball; must not exist, and is not left behind when packing fails. */
  readonly out: string;
  readonly limits?: ArchiveLimits;
  readonly chosen?: Chooser;
  /** Level of gzip; 9 by default. */
  readonly level?: number;
}

interface Packed {
  /** Hex, of the tarball. */
  readonly sha256: string;
  /** Size of the tarball. */
  readonly bytes: number;
  readonly entries: readonly WalkedEntry[];
}

/** Rejects ARCHIVE_REFUSED for what `extractArchive` would refuse. The tarball is on the disk when it resolves. */
export async function packFolder(dir: string, { root, out, limits = packageArchive, chosen, level = 9 }: PackOptions): Promise<Packed> {
  nameSegments(root);
  const folder = openNamed(dir, 'folder');
  try {
    const entries = walkOpen(folder, limits, chosen ?? (() => true));
    for (const { path } of entries) nameSegments(`${root}/${path.replace(/\/$/, '')}`);
    return await packEntries(folder, entries, { root, out, limits, level });
  } finally {
    closeSync(folder);
  }
}

async function packEntries(
  folder: number,
  entries: readonly WalkedEntry[],
  { root, out, limits, level }: Required<Pick<PackOptions, 'root' | 'out' | 'limits' | 'level'>>,
): Promise<Packed> {
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
    await pipeline(Readable.from(tarOf(folder, root, entries), { objectMode: false }), createGzip({ level }), measure, file);
    if (bytes > limits.tarballBytesMax) refuse('BYTES', `the tarball is larger than ${limits.tarballBytesMax} bytes`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(out, { force: true });
    throw error;
  }
  return { sha256: hash.digest('hex'), bytes, entries };
}

async function* tarOf(folder: number, root: string, entries: readonly WalkedEntry[]): AsyncGenerator<Buffer> {
  yield writeHeader({ name: `${root}/`, bytes: 0, executable: false });
  for (const entry of entries) {
    yield writeHeader({ ...entry, name: `${root}/${entry.path}` });
    if (entry.path.endsWith('/')) continue;
    yield* contentOf(folder, entry);
    yield padding(entry.bytes);
  }
  yield Buffer.alloc(2 * blockBytes);
}

/** Exactly the bytes that the header promised: a file that is written to meanwhile is refused, never packed half. */
async function* contentOf(folder: number, { bytes, path }: WalkedEntry): AsyncGenerator<Buffer> {
  const file = unchanged(path, () => openBeneath(folder, path));
  try {
    const before = fstatSync(file);
    if (!before.isFile() || before.size !== bytes) changed(path);
    for (let at = 0; at < bytes;) {
      const buffer = Buffer.allocUnsafe(Math.min(256 * 1_024, bytes - at));
      const { bytesRead } = await read(file, buffer, 0, buffer.length, at);
      if (bytesRead === 0) changed(path);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    const after = fstatSync(file);
    if (after.size !== bytes || after.mtimeMs !== before.mtimeMs) changed(path);
  } finally {
    closeSync(file);
  }
}

function changed(path: string): never {
  return refuse('CHANGED', 'it changed while it was packed; try again', path);
}
