/** Folders with all that is in them: counted, copied, compared, removed. Links are never followed. */
import { faultPoint } from '../faults.ts';
import { createHash } from 'node:crypto';
import { FileFault, isFault } from './file-fault.ts';
import { joined, type FileEntry, type FileFacts, type FileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { readWhole, writeSparse } from './transfer.ts';

/** What is told of work that goes on. */
export interface Progress {
  readonly signal: AbortSignal;
  readonly bytes: (done: number) => void;
  readonly file: (path: Buffer) => void;
}

/** Of what nobody follows, and nobody ends. */
export const quiet: Pick<Progress, 'signal' | 'file'> = { signal: new AbortController().signal, file: () => undefined };

/** Ends between two pieces of a large folder as well. */
async function entriesOf(fs: FileSystem, folder: Buffer, signal: AbortSignal): Promise<readonly FileEntry[]> {
  const found: FileEntry[] = [];
  for await (const entries of fs.list(folder)) {
    signal.throwIfAborted();
    found.push(...entries);
  }
  return found;
}

/** What fails in a tree is told by its own path. */
async function toldAt<Result>(path: Buffer, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FileFault && error.path === null ? new FileFault(error.errno, { path, cause: error }) : error;
  }
}

function refuseDeep(depth: number): void {
  if (depth > limits.treeDepthMax) throw new FileFault('ELOOP');
}

export async function bytesIn(fs: FileSystem, path: Buffer, signal: AbortSignal, depth = 0): Promise<number> {
  signal.throwIfAborted();
  refuseDeep(depth);
  const facts = await fs.lstat(path);
  if (facts.kind !== 'folder') return facts.kind === 'file' ? facts.bytes : 0;
  let sum = 0;
  for (const { name, kind, bytes } of await entriesOf(fs, path, signal)) {
    if (kind === 'folder') sum += await bytesIn(fs, joined(path, name), signal, depth + 1);
    else if (kind === 'file') sum += bytes;
  }
  return sum;
}

/**
 * `to` does not exist. As by `cp -a`: modes, times, groups, ACLs, extended attributes and second names are kept as far as the account may; where the
 * server can't be asked for that, modes and times. What was made is removed again when it fails.
 */
export async function copyTree(fs: FileSystem, from: Buffer, to: Buffer, progress: Progress): Promise<void> {
  const made: Made[] = [];
  await copyAt(fs, { from, to, depth: 0, made }, progress);
  const isLink = made[0]?.target !== undefined;
  const isKept = !isLink && (await fs.keepAttributes(from, to, 'tree'));
  if (!isLink) await removeLate(fs, made, progress);
  if (isKept) return;
  for (const one of made.toReversed()) await finishOne(fs, one);
}

/** The attributes are copied by a second walk of `from`: what appeared there since the first one arrived empty, and is no part of the copy. */
async function removeLate(fs: FileSystem, made: readonly Made[], { signal }: Progress): Promise<void> {
  const known = new Set(made.map(({ to }) => to.toString('hex')));
  for (const { to, facts } of made) {
    if (facts.kind !== 'folder') continue;
    const paths = (await entriesOf(fs, to, signal)).map(({ name }) => joined(to, name));
    const late = paths.filter((path) => !known.has(path.toString('hex')));
    for (const path of late) await removeTree(fs, path, { ...quiet, signal });
    if (late.length > 0) await fs.setModified(to, facts.modifiedMs);
  }
}

/** What is to be said of a copy once its content is there; `target` of a link, which is made then. */
interface Made {
  readonly to: Buffer;
  readonly facts: FileFacts;
  readonly target?: Buffer;
}

/** In the end, from the inside out: a folder that is read-only takes no more. */
async function finishOne(fs: FileSystem, { to, facts, target }: Made): Promise<void> {
  if (target !== undefined) {
    await fs.symlink(target, to).catch((error: unknown) => {
      if (!isFault(error, 'EEXIST')) throw error;
    });
    return;
  }
  await fs.setMode(to, facts.mode & 0o777);
  await fs.setModified(to, facts.modifiedMs);
}

interface Copied {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly depth: number;
  readonly made: Made[];
}

const copyAt = (fs: FileSystem, one: Copied, progress: Progress): Promise<void> => toldAt(one.from, () => copyOne(fs, one, progress));

async function copyOne(fs: FileSystem, { from, to, depth, made }: Copied, progress: Progress): Promise<void> {
  progress.signal.throwIfAborted();
  refuseDeep(depth);
  const facts = await fs.lstat(from);
  progress.file(from);
  made.push({ to, facts, ...(facts.kind === 'link' ? { target: await fs.readLink(from) } : {}) });
  if (facts.kind === 'link') return;
  if (facts.kind === 'file') await copyFile(fs, { from, to, size: facts.bytes }, progress);
  else if (facts.kind === 'folder') {
    await fs.makeFolder(to, 0o700);
    for (const { name } of await entriesOf(fs, from, progress.signal))
      await copyAt(fs, { from: joined(from, name), to: joined(to, name), depth: depth + 1, made }, progress);
  } else throw new FileFault('EKIND');
}

interface CopiedFile {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly size: number;
}

async function copyFile(fs: FileSystem, { from, to, size }: CopiedFile, { signal, bytes }: Progress): Promise<void> {
  const told = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      signal.throwIfAborted();
      yield piece;
      bytes(piece.length);
    }
  };
  const source = await fs.open(from, 'read');
  try {
    const target = await fs.open(to, 'create', 0o600);
    try {
      if (size >= limits.sparseFileBytesMin && (await fs.keepAttributes(from, to, 'holes'))) bytes(size);
      else await writeSparse(target, told(readWhole(source, fs.pieceBytes())), fs.pieceBytes());
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  faultPoint('files/copied');
}

/** Whether the two hold the same; both are read. */
export async function isSameTree(fs: FileSystem, left: Buffer, right: Buffer, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const [one, other] = await Promise.all([fs.lstat(left), fs.lstat(right)]);
  if (one.kind !== other.kind) return false;
  if (one.kind === 'link') return (await fs.readLink(left)).equals(await fs.readLink(right));
  if (one.kind === 'file') return (await digestAt(fs, left, signal)) === (await digestAt(fs, right, signal));
  const names = new Set((await entriesOf(fs, right, signal)).map(({ name }) => name.toString('hex')));
  const entries = await entriesOf(fs, left, signal);
  if (entries.length !== names.size) return false;
  for (const { name } of entries) {
    if (!names.has(name.toString('hex')) || !(await isSameTree(fs, joined(left, name), joined(right, name), signal))) return false;
  }
  return true;
}

async function digestAt(fs: FileSystem, path: Buffer, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await fs.open(path, 'read');
  try {
    for await (const piece of readWhole(file, fs.pieceBytes())) {
      signal.throwIfAborted();
      hash.update(piece);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** Stops at the first thing that can't be removed. */
export async function removeTree(fs: FileSystem, path: Buffer, progress: Pick<Progress, 'signal' | 'file'>, depth = 0): Promise<void> {
  await toldAt(path, () => removeOne(fs, path, progress, depth));
}

async function removeOne(fs: FileSystem, path: Buffer, progress: Pick<Progress, 'signal' | 'file'>, depth: number): Promise<void> {
  progress.signal.throwIfAborted();
  refuseDeep(depth);
  const { kind } = await fs.lstat(path);
  progress.file(path);
  if (kind !== 'folder') return await fs.removeFile(path);
  for (const { name } of await entriesOf(fs, path, progress.signal)) await removeTree(fs, joined(path, name), progress, depth + 1);
  await fs.removeFolder(path);
}
