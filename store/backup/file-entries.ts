/**
 * Files as entries of a snapshot. A file whose stamp is unchanged is not read again. Calls on each of many files are synchronous: the
 * process does nothing else, and a turn through Node's threads costs more than the answer.
 */
import { constants, readdirSync, statSync, type BigIntStats, type Dirent } from 'node:fs';
import { open } from 'node:fs/promises';
import { isNoPlainFile, openPlainFile } from '../../schema/plain-file.ts';
import { errorCode } from '../../schema/system-error.ts';
import { limits } from '../limits.ts';
import type { ChunkSink } from './chunks.ts';
import type { Entry, EntryRoot } from './manifest.ts';

export interface Source {
  readonly root: EntryRoot;
  /** As the snapshot names it. */
  readonly path: string;
  readonly file: string;
  /** Links are not followed: files that the portal made. Otherwise they are, as the portal does when it reads them. */
  readonly isOwn: boolean;
  /** Its name is the hash of its content: nobody writes it again. */
  readonly isFixed?: true;
}

export const keyOf = ({ root, path: name }: Pick<Entry, 'root' | 'path'>): string => `${root}/${name}`;

/** A file that changed so shortly before it was read may change again without looking so. */
const stampAgeMsMin = 2_000;

/** The entry of the snapshot before, as long as the file is the same and its objects are there. Synchronous: most of a second backup is this. */
export function unchangedEntry({ file }: Source, before: Entry | undefined, sink: Pick<ChunkSink, 'has'>): Entry | null {
  if (before?.stamp === undefined) return null;
  try {
    return before.stamp === stampOf(statSync(file, { bigint: true })) && before.chunks.every((sha) => sink.has(sha)) ? before : null;
  } catch {
    // The read that follows says what is the matter.
    return null;
  }
}

/** Reads the file. Null: it went, or it is no plain file. */
export async function takeFile({ root, path: name, file, isOwn }: Source, sink: ChunkSink): Promise<Entry | null> {
  try {
    const { handle } = await openPlainFile(file, isOwn ? constants.O_NOFOLLOW : 0);
    try {
      const seen = await handle.stat({ bigint: true });
      const chunks: string[] = [];
      let bytes = 0;
      const memory = Buffer.allocUnsafe(Math.min(limits.backupChunkBytesMax, Number(seen.size)));
      // Bytes added meanwhile belong to a later moment.
      while (bytes < Number(seen.size)) {
        const chunk = memory.subarray(0, Math.min(memory.length, Number(seen.size) - bytes));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, bytes);
        if (bytesRead === 0) break;
        bytes += bytesRead;
        chunks.push(await sink.put(chunk.subarray(0, bytesRead)));
      }
      const isOld = Date.now() - Number(seen.ctimeMs) > stampAgeMsMin;
      return {
        root,
        path: name,
        bytes,
        mode: Number(seen.mode) & 0o777,
        modifiedMs: Number(seen.mtimeMs),
        ...(isOld ? { stamp: stampOf(seen) } : {}),
        chunks,
      };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error)) || isNoPlainFile(error)) return null;
    throw error;
  }
}

const stampOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`;

/** Paths below the folder, without those of a folder that is passed over; none when it is not there. Names are put together as they are: `path.join` would cost as much as the disk. */
export function pathsBelow(folder: string, isPassedOver: (path: string, name: string) => boolean = () => false): readonly string[] {
  const paths: string[] = [];
  const read = (below: string): void => {
    for (const entry of entriesOf(`${folder}/${below}`)) {
      const one = `${below}${entry.name}`;
      if (isPassedOver(one, entry.name)) continue;
      if (entry.isDirectory()) read(`${one}/`);
      else if (entry.isFile() || entry.isSymbolicLink()) paths.push(one);
    }
  };
  read('');
  return paths.sort();
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw error;
  }
}

/** Whether a file can be read; unreadable ones are reported before a backup begins. */
export async function isReadable(file: string): Promise<boolean> {
  try {
    await (await open(file, constants.O_RDONLY | constants.O_NONBLOCK)).close();
    return true;
  } catch {
    return false;
  }
}
