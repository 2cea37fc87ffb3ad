/** Copies and moves of one file or folder. Under a name of its own until it is whole. */
import type { Conflict } from '../../schema/files.ts';
import { faultPoint } from '../faults.ts';
import { FileFault, isFault } from './file-fault.ts';
import { isWithin, joined, nameOf, type FileSystem } from './file-system.ts';
import { besidePath, newId, place, present } from './placing.ts';
import { copyTree, isSameTree, quiet, removeTree, type Progress } from './trees.ts';

/** Answers where it is; null: it was left out. */
export async function copyTo(fs: FileSystem, from: Buffer, to: Buffer, conflict: Conflict, progress: Progress): Promise<Buffer | null> {
  return await copy(fs, from, to, { conflict, progress, verifies: false });
}

interface Copying {
  readonly conflict: Conflict;
  readonly progress: Progress;
  readonly verifies: boolean;
}

async function copy(fs: FileSystem, from: Buffer, to: Buffer, { conflict, progress, verifies }: Copying): Promise<Buffer | null> {
  const { kind } = await fs.lstat(from);
  if (kind === 'folder' && isWithin(to, from)) throw new FileFault('EINSIDE');
  if (conflict === 'recusar' || conflict === 'pular') {
    const isTaken = (await present(fs, to)) !== null;
    if (isTaken && conflict === 'pular') return null;
    if (isTaken) throw new FileFault('EEXIST');
  }
  const beside = besidePath(to, newId());
  try {
    await copyTree(fs, from, beside, progress);
    if (verifies && !(await isSameTree(fs, from, beside, progress.signal))) throw new FileFault('EDIFFERENT');
    faultPoint('files/verified');
    const placed = await place(fs, beside, to, { kind, conflict });
    if (placed === null) await removeTree(fs, beside, quiet);
    faultPoint('files/placed');
    return placed;
  } catch (error) {
    await removeTree(fs, beside, quiet).catch(() => undefined);
    throw error;
  }
}

/** By a rename; where that leads to another file system by a copy that is compared before the old one goes. */
export async function moveTo(fs: FileSystem, from: Buffer, to: Buffer, conflict: Conflict, progress: Progress): Promise<Buffer | null> {
  const { kind } = await fs.lstat(from);
  if (from.equals(to)) return to;
  if (kind === 'folder' && isWithin(to, from)) throw new FileFault('EINSIDE');
  progress.file(from);
  try {
    return await place(fs, from, to, { kind, conflict });
  } catch (error) {
    if (!isFault(error, 'EXDEV')) throw error;
  }
  const placed = await copy(fs, from, to, { conflict, progress, verifies: true });
  if (placed !== null) await removeTree(fs, from, { ...quiet, file: progress.file });
  faultPoint('files/old-removed');
  return placed;
}

export const inFolder = (folder: Buffer, path: Buffer): Buffer => joined(folder, nameOf(path));
