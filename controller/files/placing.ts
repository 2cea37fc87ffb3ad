/** How a file gets its name: whole, and never in place of another one unless that was asked for. */
import { randomBytes } from 'node:crypto';
import type { Conflict } from '../../schema/files.ts';
import { faultPoint } from '../faults.ts';
import { FileFault, isFault, isMissing } from './file-fault.ts';
import { targetOf } from './items.ts';
import { joined, nameOf, parentOf, type FileFacts, type FileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';

/** Prefix of files that are on their way to their name. */
export const newPrefix = '.svc-envio-';
export const newId = (): string => randomBytes(16).toString('hex');
export const besidePath = (path: Buffer, id: string): Buffer => joined(parentOf(path), Buffer.from(newPrefix + id));

export async function present(fs: FileSystem, path: Buffer): Promise<FileFacts | null> {
  return await fs.lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

/**
 * Rejects EEXIST. A file takes its name by a second name: nothing comes in between. A folder takes it by a rename, which never takes the place of anything
 * but an empty folder: one that was made first would be there, empty, after a kill.
 */
export async function placeNew(fs: FileSystem, from: Buffer, to: Buffer, kind: FileFacts['kind']): Promise<void> {
  faultPoint('files/before-rename');
  if (kind === 'folder') {
    if ((await present(fs, to)) !== null) throw new FileFault('EEXIST');
    await fs.rename(from, to).catch((error: unknown) => {
      // It came to be since.
      throw isFault(error, 'ENOTEMPTY', 'ENOTDIR') ? new FileFault('EEXIST', { cause: error }) : error;
    });
  } else if (await linked(fs, from, to)) {
    faultPoint('files/name-taken');
    await fs.removeFile(from).catch(async (error: unknown) => {
      // The account may give it a second name, and not take away the first: nothing is changed then.
      if (isFault(error)) await fs.removeFile(to);
      throw error;
    });
  } else {
    // A file system without second names, or a file that the account may not give one.
    if ((await present(fs, to)) !== null) throw new FileFault('EEXIST');
    await fs.rename(from, to);
  }
  faultPoint('files/renamed');
  await fs.syncFolder(parentOf(to));
}

async function linked(fs: FileSystem, from: Buffer, to: Buffer): Promise<boolean> {
  try {
    await fs.link(from, to);
    return true;
  } catch (error) {
    if (isFault(error, 'EPERM', 'EFAIL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV')) return false;
    throw error;
  }
}

/** In place of a file that is there, or of none. */
export async function placeOver(fs: FileSystem, from: Buffer, to: Buffer): Promise<void> {
  faultPoint('files/before-rename');
  await fs.rename(from, to);
  faultPoint('files/renamed');
  await fs.syncFolder(parentOf(to));
}

/** A folder, a pipe, a socket, a device, or a link to one of the last three: no file takes its place. */
export async function refuseOther(fs: FileSystem, path: Buffer, there: FileFacts): Promise<void> {
  if (there.kind === 'folder') throw new FileFault('EISDIR');
  const kind = there.kind === 'link' ? (await targetOf(fs, path))?.kind : there.kind;
  if (kind === 'other') throw new FileFault('EKIND');
}

/** Answers where it is now; null: something is there, and it was to be left out. */
export async function place(
  fs: FileSystem,
  from: Buffer,
  to: Buffer,
  { kind, conflict }: { readonly kind: FileFacts['kind']; readonly conflict: Conflict },
): Promise<Buffer | null> {
  if (conflict === 'substituir') {
    const there = await present(fs, to);
    if (there !== null) {
      if (there.kind === 'folder' || kind === 'folder') throw new FileFault('EEXIST');
      await refuseOther(fs, to, there);
      await placeOver(fs, from, to);
      return to;
    }
  }
  for (let n = 1; n <= limits.freeNamesMax; n += 1) {
    const target = n === 1 ? to : joined(parentOf(to), numbered(nameOf(to), n, kind === 'folder'));
    try {
      await placeNew(fs, from, target, kind);
      return target;
    } catch (error) {
      if (!isFault(error, 'EEXIST') || conflict === 'recusar' || conflict === 'substituir') throw error;
      if (conflict === 'pular') return null;
    }
  }
  throw new FileFault('EEXIST');
}

/** The first bytes of a name, at most so many, and no half of a character of UTF-8. */
export function cutName(name: Buffer, bytesMax: number): Buffer {
  let end = Math.min(name.length, Math.max(0, bytesMax));
  // Such a byte goes on with a character that takes four at most; what is longer is no UTF-8.
  const isInside = (): boolean => ((name[end] ?? 0) & 0xc0) === 0x80;
  for (let back = 0; back < 3 && end > 0 && isInside(); back += 1) end -= 1;
  return name.subarray(0, isInside() ? bytesMax : end);
}

/** `nota (2).txt`; the name is cut where the whole would be too long. */
export function numbered(name: Buffer, n: number, isFolder: boolean): Buffer {
  const dot = isFolder ? -1 : name.lastIndexOf(0x2e);
  const end = dot <= 0 ? name.length : dot;
  const more = Buffer.from(` (${n})`);
  const ending = cutName(name.subarray(end), 64);
  return Buffer.concat([cutName(name.subarray(0, end), sharedLimits.fileNameBytesMax - more.length - ending.length), more, ending]);
}
