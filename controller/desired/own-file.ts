/**
 * The one file of the folder that the desktop writes: whether it may, what it holds, and its writing, which either happens whole or not at all.
 * Decision: docs/decisions/0345-the-desktop-writes-one-file.md
 */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ownFileName } from '../../schema/desired/own-changes.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Managed } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
import { syncFolder } from '../../schema/sync-folder.ts';
import { errorCode } from '../../schema/system-error.ts';

/** Folders of programs that keep versions: whoever uses one changes the folder there. */
const checkouts = ['.git', '.jj', '.hg', '.svn'];

/** Keeper of the folder, when the desktop may not write into it; null: it may. */
export async function managedBy(dir: string): Promise<Managed | null> {
  const folder = await statOf(dir);
  if (folder === null) return { why: 'readonly', place: dir };
  if (folder.isSymbolicLink()) return { why: 'link', place: dir };
  for (let at = path.resolve(dir); ; at = path.dirname(at)) {
    for (const name of checkouts) if ((await statOf(path.join(at, name))) !== null) return { why: 'checkout', place: at };
    if (at === path.dirname(at)) break;
  }
  if (!(await mayWrite(dir, folder))) return { why: 'readonly', place: dir };
  const file = path.join(dir, ownFileName);
  const own = await statOf(file);
  if (own === null) return null;
  if (own.isSymbolicLink()) return { why: 'link', place: file };
  // The new file takes its place with the same owner, which only root can give away.
  const isOurs = own.uid === process.geteuid?.() || process.geteuid?.() === 0;
  return own.isFile() && isOurs && (await mayWrite(file, own)) ? null : { why: 'readonly', place: file };
}

/** Without any bit that lets somebody write it is meant to stay as it is, for root, too. */
async function mayWrite(place: string, { mode }: Stats): Promise<boolean> {
  if ((mode & 0o222) === 0) return false;
  return await access(place, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Null: nothing is there. A link is not followed. */
async function statOf(place: string): Promise<Stats | null> {
  try {
    return await lstat(place);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  }
}

interface OwnFile {
  /** '' when there is no such file. */
  readonly text: string;
  readonly digest: string;
}

/** Rejects TOO_LARGE. */
export async function readOwnFile(dir: string): Promise<OwnFile> {
  const file = path.join(dir, ownFileName);
  const bytes = (await statOf(file)) === null ? Buffer.alloc(0) : await readPlainFile(file, limits.ownFileBytesMax);
  if (bytes.length > limits.ownFileBytesMax)
    throw new SvcError('TOO_LARGE', `${file}: expected at most ${limits.ownFileBytesMax} bytes; move documents of it into another file`);
  return { text: bytes.toString('utf8'), digest: createHash('sha256').update(bytes).digest('hex') };
}

/** Rejects FILE_CHANGED, and writes nothing, where the file is not that of the digest any more. */
export async function writeOwnFile(dir: string, text: string, digest: string): Promise<void> {
  const file = path.join(dir, ownFileName);
  // No reader of the folder takes a hidden file. Whatever lies there, which a killed portal left or is a pipe, is never opened.
  const temporary = path.join(dir, `.${ownFileName}.tmp`);
  const before = await statOf(file);
  const { uid, gid } = before ?? (await lstat(dir));
  const mode = before?.mode ?? 0o644;
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(text);
      const made = await handle.stat();
      if (before !== null || process.geteuid?.() === 0) if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid);
      await handle.chmod(mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await readOwnFile(dir)).digest !== digest) throw new SvcError('FILE_CHANGED', `${file} was changed meanwhile: look at it again`);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dir);
}
