/** Notes of the trash (`info/NAME.trashinfo`): where a thing was, and when it went there. */
import { pathBytes, pathText } from '../../schema/wire/file-path.ts';
import { isFault } from './file-fault.ts';
import { joined, nameOf, parentOf, type FileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { readAll } from './transfer.ts';

/** `top`: what its path begins at; null: it is absolute. */
export const noteText = (path: Buffer, top: Buffer | null): Buffer =>
  Buffer.from(
    `[Trash Info]\nPath=${encoded(top === null ? path : path.subarray(top.length === 1 ? 1 : top.length + 1))}\nDeletionDate=${localTime()}\n`,
  );

/** As in a URL: every byte that is not plain (RFC 2396). */
const encoded = (path: Buffer): string =>
  path.toString('latin1').replaceAll(/[^A-Za-z0-9/._~-]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Without a zone, as the specification wants it. */
function localTime(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export interface Note {
  readonly from: Buffer | null;
  readonly atMs: number | null;
}

/** Note of the thing `id`, in the file `info`. Both fields are null where there is no note, or one that is invalid. */
export async function noteOf(fs: FileSystem, id: Buffer, info: Buffer): Promise<Note> {
  const none = { from: null, atMs: null };
  const file = await fs.open(info, 'read').catch((error: unknown) => {
    if (isFault(error)) return null;
    throw error;
  });
  if (file === null) return none;
  try {
    const text = (await readAll(file, limits.trashInfoBytesMax, fs.pieceBytes())).toString('latin1');
    if (!/^\[Trash Info\]\s*$/m.test(text)) return none;
    const said = /^Path=([^\n]*)/m.exec(text)?.[1] ?? '';
    const at = Date.parse(/^DeletionDate=(\S+)/m.exec(text)?.[1] ?? '');
    const bytes = Buffer.from(
      said.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      'latin1',
    );
    const trash = parentOf(parentOf(id));
    const isHome = nameOf(trash).toString() === 'Trash';
    const top = /^\d+$/.test(nameOf(trash).toString('latin1')) ? parentOf(parentOf(trash)) : parentOf(trash);
    const path = bytes[0] === 0x2f ? bytes : isHome ? null : joined(top, bytes);
    // A note that somebody else wrote may say anything.
    const isPath = path !== null && pathBytes(pathText(path)) !== null;
    return { from: isPath ? path : null, atMs: Number.isNaN(at) ? null : at };
  } catch (error) {
    if (isFault(error)) return none;
    throw error;
  } finally {
    await file.close().catch(() => undefined);
  }
}
