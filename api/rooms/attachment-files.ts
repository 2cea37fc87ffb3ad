/**
 * Bytes of attachments, as `<room>/<sha256>`. They come in beside their place and get their name once they are whole and on the disk, so that a file
 * under a sha always holds those bytes. Decision: docs/decisions/0099-attachments.md
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Bytes, OpenBytes } from '../../store/bytes.ts';
import { SvcError } from '../../schema/errors.ts';
import { headBytes } from './attachment-type.ts';
import { attachmentPattern, roomIdPattern } from '../../schema/rooms.ts';

export interface Staged {
  readonly sha: string;
  readonly bytes: number;
  /** Its first bytes, which say what it is. */
  readonly head: Uint8Array;
  /** Puts it in its place. Rejects NOT_FOUND when the room went meanwhile. */
  readonly keep: () => Promise<void>;
  /** Leaves nothing. After `keep` it does nothing. */
  readonly drop: () => Promise<void>;
}

export interface AttachmentFiles {
  /** Rejects TOO_LARGE past `bytesMax`, and with errors of the body; nothing is left then. */
  stage(sala: string, body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Staged>;
  /** Null when it is not there. The caller closes it. */
  open(sala: string, sha: string): Promise<OpenBytes | null>;
  remove(sala: string, sha: string): Promise<void>;
  removeRoom(sala: string): Promise<void>;
  rooms(): Promise<readonly string[]>;
  /** Files of a room unchanged since `beforeMs`: shas, and leftovers of uploads. */
  filesBefore(sala: string, beforeMs: number): Promise<readonly string[]>;
  removeFile(sala: string, name: string): Promise<void>;
}

const stagingPrefix = '.in-';

export function createAttachmentFiles(files: Bytes): AttachmentFiles {
  const folderOf = (sala: string): string => {
    if (!roomIdPattern.test(sala)) throw new SvcError('NOT_FOUND', 'there is no such room');
    return sala;
  };
  const nameOf = (sha: string): string => {
    if (!attachmentPattern.test(sha)) throw new SvcError('NOT_FOUND', 'there is no such attachment');
    return sha;
  };
  return {
    stage: async (sala, body, bytesMax) => {
      const folder = folderOf(sala);
      const staging = stagingPrefix + randomUUID();
      const drop = (): Promise<void> => files.remove(folder, staging);
      try {
        const { sha, bytes, head } = await takeIn(files, { folder, name: staging }, body, bytesMax);
        return { sha, bytes, head, keep: () => files.rename(folder, staging, nameOf(sha)), drop };
      } catch (error) {
        await drop();
        throw error;
      }
    },
    open: async (sala, sha) => await files.open(folderOf(sala), nameOf(sha)),
    remove: async (sala, sha) => await files.remove(folderOf(sala), nameOf(sha)),
    removeRoom: async (sala) => await files.removeFolder(folderOf(sala)),
    rooms: async () => (await files.folders()).filter((name) => roomIdPattern.test(name)),
    filesBefore: async (sala, beforeMs) =>
      (await files.list(folderOf(sala))).flatMap(({ name, modifiedMs }) => (modifiedMs < beforeMs ? [name] : [])),
    removeFile: async (sala, name) => await files.remove(folderOf(sala), name),
  };
}

async function takeIn(
  files: Bytes,
  { folder, name }: { readonly folder: string; readonly name: string },
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Pick<Staged, 'sha' | 'bytes' | 'head'>> {
  const file = await files.grow(folder, name);
  const hash = createHash('sha256');
  let head: Uint8Array = Buffer.alloc(0);
  try {
    for await (const chunk of body) {
      if (file.size() + chunk.length > bytesMax) throw tooLarge(bytesMax);
      hash.update(chunk);
      if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)]);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  return { sha: hash.digest('hex'), bytes: file.size(), head };
}

export function tooLarge(bytesMax: number): SvcError {
  return new SvcError('TOO_LARGE', `one attachment holds at most ${bytesMax} bytes`, { bytesMax });
}
