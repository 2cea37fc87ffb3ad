/**
 * Folders with all that is in them: counted, compared, removed. Links are never followed: each folder is held while it is worked on, and what is in it is reached
 * by its name there. Copies: copying.ts. Decision: docs/decisions/0371-folders-are-held.md
 */
import { createHash } from 'node:crypto';
import { FileFault } from './file-fault.ts';
import { joined, type FileEntry, type FileSystem, type PinnedFileSystem } from './file-system.ts';
import { pathAt, placeIn, whileHeld, whilePinned, whilePlaced, type Place } from './holding.ts';
import { limits } from './limits.ts';
import { readWhole } from './transfer.ts';

/** Progress reports of a running operation. */
export interface Progress {
  readonly signal: AbortSignal;
  readonly bytes: (done: number) => void;
  readonly file: (path: Buffer) => void;
  /** From now on a cancel undoes the item: it is answered at once, before the work on it ends. The result ends that. */
  readonly undoable?: () => () => void;
  /** Called for a socket, pipe or device, which is no part of the copy then; absent: it is refused. */
  readonly leftOut?: (path: Buffer) => void;
}

/** For what grows where nobody sees it. Call the result right before it gets its name: it throws when the work was cancelled. */
export function undoableUntilPlaced({ signal, undoable }: Progress): () => void {
  const end = undoable?.();
  return () => {
    signal.throwIfAborted();
    end?.();
  };
}

/** Progress of an operation that nobody follows, and nobody ends. */
export const quiet: Pick<Progress, 'signal' | 'file'> = { signal: new AbortController().signal, file: () => undefined };

/** Throws beyond what one piece of work may hold: a server, or a FUSE mount, may have folders that never end. */
export function createCount(): (entries: number) => void {
  let count = 0;
  return (entries) => {
    count += entries;
    if (count > limits.treeEntriesMax) throw new FileFault('EMANY');
  };
}
export type Count = ReturnType<typeof createCount>;

/** Entries of a folder as they come, so that no more of them are held than one piece. Ends between two pieces as well. */
export async function* piecesOf(fs: FileSystem, folder: Buffer, signal: AbortSignal, count: Count): AsyncGenerator<readonly FileEntry[]> {
  for await (const entries of fs.list(folder)) {
    signal.throwIfAborted();
    count(entries.length);
    yield entries;
  }
}

/** Reports a failure in a tree by its own path. */
export async function toldAt<Result>(path: Buffer, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FileFault && error.path === null ? new FileFault(error.errno, { path, cause: error }) : error;
  }
}

export function refuseDeep(depth: number): void {
  if (depth > limits.treeDepthMax) throw new FileFault('ELOOP');
}

/** For what is shown of work to come: by paths, since nothing is read or changed. */
export async function bytesIn(fs: FileSystem, path: Buffer, signal: AbortSignal, depth = 0, count = createCount()): Promise<number> {
  signal.throwIfAborted();
  refuseDeep(depth);
  const facts = await fs.lstat(path);
  if (facts.kind !== 'folder') return facts.kind === 'file' ? facts.bytes : 0;
  let sum = 0;
  const folders: Buffer[] = [];
  for await (const entries of piecesOf(fs, path, signal, count)) {
    for (const { name, kind, bytes } of entries) {
      if (kind === 'folder') folders.push(name);
      else if (kind === 'file') sum += bytes;
    }
  }
  for (const name of folders) sum += await bytesIn(fs, joined(path, name), signal, depth + 1, count);
  return sum;
}

/** Whether the two hold the same; both are read. */
export async function isSameTree(fs: FileSystem, left: Buffer, right: Buffer, signal: AbortSignal): Promise<boolean> {
  return await whilePinned(fs, (pinned) =>
    whilePlaced(pinned, left, (one) =>
      whilePlaced(pinned, right, (other) => isSameAt(pinned, one, other, { signal, count: createCount() })),
    ),
  );
}

interface Comparing {
  readonly signal: AbortSignal;
  readonly count: Count;
  /** The file system of the right one, on another server, which has no sockets, pipes and devices of the left one. Absent: the same. */
  readonly there?: PinnedFileSystem;
}

export async function isSameAt(fs: PinnedFileSystem, left: Place, right: Place, work: Comparing): Promise<boolean> {
  const { signal, there = fs } = work;
  signal.throwIfAborted();
  const [one, other] = await Promise.all([fs.lstat(pathAt(left)), there.lstat(pathAt(right))]);
  if (one.kind !== other.kind) return false;
  if (one.kind === 'link') return (await fs.readLink(pathAt(left))).equals(await there.readLink(pathAt(right)));
  if (one.kind === 'file') return (await digestAt(fs, pathAt(left), signal)) === (await digestAt(there, pathAt(right), signal));
  return await whileHeld(fs, pathAt(left), 'refuse', (from) =>
    whileHeld(there, pathAt(right), 'refuse', async (to) => {
      const names = new Set<string>();
      for await (const entries of piecesOf(there, to, signal, work.count))
        for (const { name } of entries) names.add(name.toString('latin1'));
      let seen = 0;
      for await (const entries of piecesOf(fs, from, signal, work.count)) {
        for (const { name, kind } of entries) {
          if (kind === 'other' && there !== fs) continue;
          seen += 1;
          if (!names.has(name.toString('latin1'))) return false;
          if (!(await isSameAt(fs, placeIn(from, name, left.shown), placeIn(to, name, right.shown), work))) return false;
        }
      }
      return seen === names.size;
    }),
  );
}

async function digestAt(fs: FileSystem, path: Buffer, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await fs.open(path, 'read-itself');
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
export async function removeTree(fs: FileSystem, path: Buffer, progress: Pick<Progress, 'signal' | 'file'>): Promise<void> {
  await toldAt(path, () => whilePinned(fs, (pinned) => whilePlaced(pinned, path, (place) => removeAt(pinned, place, progress))));
}

type Removing = Pick<Progress, 'signal' | 'file'>;

export async function removeAt(fs: PinnedFileSystem, place: Place, progress: Removing): Promise<void> {
  await removeOne(fs, place, { ...progress, count: createCount() }, 0);
}

async function removeOne(fs: PinnedFileSystem, place: Place, work: Removing & { readonly count: Count }, depth: number): Promise<void> {
  await toldAt(place.shown, async () => {
    work.signal.throwIfAborted();
    refuseDeep(depth);
    work.count(1);
    const path = pathAt(place);
    const { kind } = await fs.lstat(path);
    work.file(place.shown);
    if (kind !== 'folder') return await fs.removeFile(path);
    await whileHeld(fs, path, 'refuse', async (folder) => {
      for (let left = true; left;) {
        const { names, isAll } = await firstNames(fs, folder, work.signal);
        for (const name of names) await removeOne(fs, placeIn(folder, name, place.shown), work, depth + 1);
        left = !isAll;
      }
    });
    await fs.removeFolder(path);
  });
}

async function firstNames(
  fs: FileSystem,
  folder: Buffer,
  signal: AbortSignal,
): Promise<{ readonly names: readonly Buffer[]; readonly isAll: boolean }> {
  const names: Buffer[] = [];
  for await (const entries of fs.list(folder)) {
    signal.throwIfAborted();
    for (const { name } of entries) names.push(name);
    if (names.length >= limits.removeEntriesHeldMax) return { names, isAll: false };
  }
  return { names, isAll: true };
}
