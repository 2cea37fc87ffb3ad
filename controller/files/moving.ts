/** Copies and moves of one file or folder. In a private folder until it is whole. */
import type { Conflict } from '../../schema/files.ts';
import { faultPoint } from '../faults.ts';
import { copyTree } from './copying.ts';
import { FileFault, isFault } from './file-fault.ts';
import { isWithin, joined, nameOf, parentOf, type FileFacts, type FileSystem, type PinnedFileSystem } from './file-system.ts';
import { pathAt, whilePinned, whilePlaced, type Place } from './holding.ts';
import { newId, place, present } from './placing.ts';
import { makePrivateFolder, placeInPrivate } from './private-folder.ts';
import { createCount, isSameAt, removeAt, quiet, undoableUntilPlaced, type Progress } from './trees.ts';

interface Moving {
  readonly conflict: Conflict;
  readonly progress: Progress;
}

/** Answers where it is; null: it was left out. */
export async function copyTo(fs: FileSystem, from: Buffer, to: Buffer, conflict: Conflict, progress: Progress): Promise<Buffer | null> {
  return await betweenPlaces(fs, from, to, (pinned, source, target) =>
    copyPlaced(pinned, source, target, { conflict, progress, verifies: false }),
  );
}

/** By a rename; where that leads to another file system by a copy that is compared before the old one goes. */
export async function moveTo(fs: FileSystem, from: Buffer, to: Buffer, conflict: Conflict, progress: Progress): Promise<Buffer | null> {
  return await betweenPlaces(fs, from, to, (pinned, source, target) => movePlaced(pinned, source, target, { conflict, progress }));
}

async function betweenPlaces(
  fs: FileSystem,
  from: Buffer,
  to: Buffer,
  work: (pinned: PinnedFileSystem, source: Place, target: Place) => Promise<Buffer | null>,
): Promise<Buffer | null> {
  return await whilePinned(fs, (pinned) =>
    whilePlaced(pinned, from, (source) => whilePlaced(pinned, to, (target) => work(pinned, source, target))),
  );
}

/** By the path that a person knows. */
const shownAt = ({ shown }: Place, placed: Buffer | null): Buffer | null =>
  placed === null ? null : joined(parentOf(shown), nameOf(placed));

async function copyPlaced(
  fs: PinnedFileSystem,
  source: Place,
  target: Place,
  { conflict, progress, verifies }: Moving & { readonly verifies: boolean },
): Promise<Buffer | null> {
  const { kind } = await fs.lstat(pathAt(source));
  if (kind === 'folder' && isWithin(target.shown, source.shown)) throw new FileFault('EINSIDE');
  if (conflict === 'recusar' || conflict === 'pular') {
    const isTaken = (await present(fs, pathAt(target))) !== null;
    if (isTaken && conflict === 'pular') return null;
    if (isTaken) throw new FileFault('EEXIST');
  }
  const refuseCancelled = undoableUntilPlaced(progress);
  const grown = await makePrivateFolder(fs, target.folder, newId());
  const beside = placeInPrivate(grown, target.name, target.shown);
  try {
    await copyTree(fs, source, beside, progress);
    if (verifies && !(await isSameAt(fs, source, beside, { signal: progress.signal, count: createCount() })))
      throw new FileFault('EDIFFERENT');
    refuseCancelled();
    faultPoint('files/verified');
    const placed = await placeCopy(fs, beside, target, conflict);
    faultPoint('files/placed');
    return shownAt(target, placed);
  } finally {
    await grown.remove(target.name);
  }
}

/** A folder that its owner may not write to can't go into another folder: its last name holds the right one. */
async function placeCopy(fs: PinnedFileSystem, beside: Place, target: Place, conflict: Conflict): Promise<Buffer | null> {
  const facts: FileFacts = await fs.lstat(pathAt(beside));
  const order = { kind: facts.kind, conflict };
  if (facts.kind !== 'folder' || (facts.mode & 0o200) !== 0) return await place(fs, pathAt(beside), pathAt(target), order);
  const held = await fs.hold(pathAt(beside), 'refuse');
  try {
    await fs.setMode(held.path, facts.mode | 0o200);
    const placed = await place(fs, pathAt(beside), pathAt(target), order);
    await fs.setMode(held.path, facts.mode);
    return placed;
  } finally {
    await held.close().catch(() => undefined);
  }
}

/** Both in held folders. Answers as moveTo. */
export async function movePlaced(
  fs: PinnedFileSystem,
  source: Place,
  target: Place,
  { conflict, progress }: Moving,
): Promise<Buffer | null> {
  const { kind } = await fs.lstat(pathAt(source));
  if (source.shown.equals(target.shown)) return target.shown;
  if (kind === 'folder' && isWithin(target.shown, source.shown)) throw new FileFault('EINSIDE');
  progress.file(source.shown);
  try {
    return shownAt(target, await place(fs, pathAt(source), pathAt(target), { kind, conflict }));
  } catch (error) {
    if (!isFault(error, 'EXDEV')) throw error;
  }
  const placed = await copyPlaced(fs, source, target, { conflict, progress, verifies: true });
  if (placed !== null) await removeAt(fs, source, { ...quiet, file: progress.file });
  faultPoint('files/old-removed');
  return placed;
}

export const inFolder = (folder: Buffer, path: Buffer): Buffer => joined(folder, nameOf(path));
