/** Bytes in a folder of this machine: folders 0700, files 0600. Links are not followed. Contract: bytes.ts. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../schema/errors.ts';
import { syncFolder } from '../schema/sync-folder.ts';
import { errorCode } from '../schema/system-error.ts';
import type { Bytes, OpenBytes } from './bytes.ts';

/** A pipe in its place is an error, not a wait. */
const growing = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The folder is made when the first byte comes. `freeBytes`: of the disk of a folder. */
export function createFolderBytes(root: string, freeBytes: (folder: string) => Promise<number> = freeBytesOf): Bytes {
  const folderOf = (folder: string): string => path.join(root, folder);
  return {
    open: (folder, name) => openFile(path.join(folderOf(folder), name)),
    grow: async (folder, name) => {
      await fullIsTold(() => mkdir(folderOf(folder), { recursive: true, mode: 0o700 }));
      const file = path.join(folderOf(folder), name);
      const handle = await fullIsTold(() => open(file, growing, 0o600));
      let { size } = await handle.stat();
      return {
        size: () => size,
        write: async (bytes) => {
          let at = 0;
          while (at < bytes.length) at += (await fullIsTold(() => handle.write(bytes, at, bytes.length - at, size + at))).bytesWritten;
          size += bytes.length;
        },
        close: async () => {
          try {
            await fullIsTold(() => handle.datasync());
          } finally {
            await handle.close();
          }
        },
      };
    },
    rename: async (folder, from, to) => {
      try {
        await rename(path.join(folderOf(folder), from), path.join(folderOf(folder), to));
        await syncFolder(folderOf(folder));
      } catch (error) {
        throw errorCode(error) === 'ENOENT' ? new SvcError('NOT_FOUND', 'it was removed meanwhile') : error;
      }
    },
    remove: (folder, name) => rm(path.join(folderOf(folder), path.basename(name)), { force: true }),
    removeFolder: (folder) => rm(folderOf(folder), { recursive: true, force: true }),
    list: async (folder) => {
      const files = [];
      for (const name of await listed(folderOf(folder))) {
        const seen = await stat(path.join(folderOf(folder), name)).catch(() => null);
        if (seen !== null) files.push({ name, modifiedMs: seen.mtimeMs });
      }
      return files;
    },
    folders: () => listed(root),
    freeBytes: async () => {
      await mkdir(root, { recursive: true, mode: 0o700 });
      return await freeBytes(root);
    },
  };
}

async function fullIsTold<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(errorCode(error))) throw new SvcError('DISK_FULL', 'no space is left on the disk of the portal');
    throw error;
  }
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function openFile(file: string): Promise<OpenBytes | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error))) return null;
    throw error;
  }
  const seen = await handle.stat();
  if (!seen.isFile()) {
    await handle.close();
    return null;
  }
  let closing: Promise<void> | null = null;
  return {
    bytes: seen.size,
    modifiedMs: seen.mtimeMs,
    read: ({ start = 0, end = seen.size - 1 } = {}) =>
      handle.createReadStream({ autoClose: false, start, end: Math.max(0, end), highWaterMark: 256 * 1_024 }),
    close: () => (closing ??= handle.close()),
  };
}

async function listed(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
