/**
 * Bytes of attachments on disk: `<folder>/<room>/<sha256>`, folders 0700, files 0600. They come in beside their place and get their name once
 * they are whole and on the disk, so that a file under a sha always holds those bytes. Decision: docs/decisions/0099-attachments.md
 */
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { attachmentPattern, roomIdPattern } from '../../schema/rooms.ts';
import { errorCode } from '../../schema/system-error.ts';

export interface Staged {
  readonly sha: string;
  readonly bytes: number;
  /** Puts it in its place. */
  readonly keep: () => Promise<void>;
  /** Leaves nothing. After `keep` it does nothing. */
  readonly drop: () => Promise<void>;
}

export interface AttachmentFiles {
  /** Rejects TOO_LARGE past `bytesMax`, and with errors of the body; nothing is left then. */
  stage(sala: string, body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Staged>;
  /** Null when it is not there. The caller closes it. */
  open(sala: string, sha: string): Promise<{ readonly handle: FileHandle; readonly bytes: number; readonly modifiedMs: number } | null>;
  remove(sala: string, sha: string): Promise<void>;
  removeRoom(sala: string): Promise<void>;
  rooms(): Promise<readonly string[]>;
  /** Files of a room unchanged since `beforeMs`: shas, and leftovers of uploads. */
  filesBefore(sala: string, beforeMs: number): Promise<readonly string[]>;
  removeFile(sala: string, name: string): Promise<void>;
}

const stagingPrefix = '.in-';

export function createAttachmentFiles(root: string): AttachmentFiles {
  const folderOf = (sala: string): string => {
    if (!roomIdPattern.test(sala)) throw new SvcError('NOT_FOUND', 'there is no such room');
    return path.join(root, sala);
  };
  const fileOf = (sala: string, sha: string): string => {
    if (!attachmentPattern.test(sha)) throw new SvcError('NOT_FOUND', 'there is no such attachment');
    return path.join(folderOf(sala), sha);
  };
  return {
    stage: async (sala, body, bytesMax) => {
      const folder = folderOf(sala);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const staging = path.join(folder, stagingPrefix + randomUUID());
      try {
        const { sha, bytes } = await takeIn(staging, body, bytesMax);
        return {
          sha,
          bytes,
          keep: async () => {
            await rename(staging, fileOf(sala, sha));
            await syncFolder(folder);
          },
          drop: () => rm(staging, { force: true }),
        };
      } catch (error) {
        await rm(staging, { force: true });
        if (['ENOSPC', 'EDQUOT'].includes(errorCode(error))) throw new SvcError('DISK_FULL', 'no space left for attachments');
        throw error;
      }
    },
    open: (sala, sha) => openFile(fileOf(sala, sha)),
    remove: (sala, sha) => rm(fileOf(sala, sha), { force: true }),
    removeRoom: (sala) => rm(folderOf(sala), { recursive: true, force: true }),
    rooms: async () => (await listed(root)).filter((name) => roomIdPattern.test(name)),
    filesBefore: async (sala, beforeMs) => {
      const names = await listed(folderOf(sala));
      const old: string[] = [];
      for (const name of names) {
        const seen = await stat(path.join(folderOf(sala), name)).catch(() => null);
        if (seen !== null && seen.mtimeMs < beforeMs) old.push(name);
      }
      return old;
    },
    removeFile: (sala, name) => rm(path.join(folderOf(sala), path.basename(name)), { force: true }),
  };
}

async function takeIn(file: string, body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<{ sha: string; bytes: number }> {
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      hash.update(chunk);
      await writeAll(handle, chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sha: hash.digest('hex'), bytes };
}

export function tooLarge(bytesMax: number): SvcError {
  return new SvcError('TOO_LARGE', `one attachment holds at most ${bytesMax} bytes`, { bytesMax });
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  let at = 0;
  while (at < chunk.length) at += (await handle.write(chunk, at, chunk.length - at)).bytesWritten;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openFile(file: string): ReturnType<AttachmentFiles['open']> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  const seen = await handle.stat();
  if (seen.isFile()) return { handle, bytes: seen.size, modifiedMs: seen.mtimeMs };
  await handle.close();
  return null;
}

async function listed(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
