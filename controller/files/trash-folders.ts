/**
 * Where a trash is: the home's, and at the top of other file systems `.Trash/UID` or `.Trash-UID`. At such a top others may write: the trash there is held, and is the
 * account's own, while something goes in or out. Source: freedesktop.org trash specification 1.0
 */
import { SvcError } from '../../schema/errors.ts';
import { FileFault, isFault } from './file-fault.ts';
import { joined, nameOf, parentOf, type FileSystem, type PinnedFileSystem } from './file-system.ts';
import { whileHeld } from './holding.ts';
import { targetOf } from './items.ts';
import { present } from './placing.ts';

/** `top`: what the paths of its notes begin at; null: they are absolute. */
export interface TrashFolder {
  readonly path: Buffer;
  readonly top: Buffer | null;
}

/** Both are held folders. */
export interface OpenTrash {
  readonly files: Buffer;
  readonly info: Buffer;
}

export const named = (folder: Buffer, ...names: readonly string[]): Buffer =>
  names.reduce((path, name) => joined(path, Buffer.from(name)), folder);

/** With a trash that is there. Rejects EXCHANGED when it is a link, or another's. */
export async function whileOpen<Result>(
  fs: PinnedFileSystem,
  trash: Buffer,
  home: Buffer,
  work: (open: OpenTrash) => Promise<Result>,
): Promise<Result> {
  return await whileTrusted(fs, trash, home, (folder) =>
    whileHeld(fs, named(folder, 'files'), 'refuse', (files) =>
      whileHeld(fs, named(folder, 'info'), 'refuse', (info) => work({ files, info })),
    ),
  );
}

async function whileTrusted<Result>(
  fs: PinnedFileSystem,
  trash: Buffer,
  home: Buffer,
  work: (folder: Buffer) => Promise<Result>,
): Promise<Result> {
  if (trash.equals(homeTrashOf(home))) return await whileHeld(fs, trash, 'follow', work);
  const isShared = /^\d+$/.test(nameOf(trash).toString('latin1'));
  const own = fs.uid ?? (await fs.lstat(home)).uid;
  const workInOwn = (above: Buffer): Promise<Result> =>
    whileHeld(fs, joined(above, nameOf(trash)), 'refuse', async (folder) => {
      if ((await fs.stat(folder)).uid !== own) throw new FileFault('EXCHANGED');
      return await work(folder);
    });
  if (!isShared) return await whileHeld(fs, parentOf(trash), 'follow', workInOwn);
  const shared = parentOf(trash);
  return await whileHeld(fs, parentOf(shared), 'follow', (top) =>
    whileHeld(fs, joined(top, nameOf(shared)), 'refuse', async (folder) => {
      if (!isTrusted(await fs.stat(folder), own)) throw new FileFault('EXCHANGED');
      return await workInOwn(folder);
    }),
  );
}

/** The sticky bit is what the specification asks for; whoever owns the folder may give and take names in it all the same. */
const isTrusted = ({ mode, uid }: { readonly mode: number; readonly uid: number }, own: number): boolean =>
  (mode & 0o1000) !== 0 && (uid === 0 || uid === own);

export const homeTrashOf = (home: Buffer): Buffer => named(home, '.local', 'share', 'Trash');

/** The folder of the trash that an id is in. Throws for a path that is nothing in a trash of this account. */
export function trashOf(id: Buffer, home: Buffer): Buffer {
  const files = parentOf(id);
  const trash = parentOf(files);
  const isInOthers = /\/(?:\.Trash-\d+|\.Trash\/\d+)$/.test(trash.toString('latin1'));
  if (nameOf(files).toString() !== 'files' || !(trash.equals(homeTrashOf(home)) || isInOthers))
    throw new SvcError('BAD_REQUEST', 'itens: expected ids as the trash says them');
  return trash;
}

/** The home's, for what is on the same file system; else the one at the top of that, made when it is missing. */
export async function trashFor(fs: FileSystem, home: Buffer, path: Buffer): Promise<TrashFolder> {
  const { device } = await fs.space(parentOf(path));
  if (device !== '' && device !== (await fs.space(home)).device) {
    let top = parentOf(path);
    while (top.length > 1 && (await fs.space(parentOf(top))).device === device) top = parentOf(top);
    const { uid } = await fs.lstat(home);
    const shared = await present(fs, named(top, '.Trash')).catch(() => null);
    const isShared = shared?.kind === 'folder' && isTrusted(shared, uid);
    for (const place of [...(isShared ? [named(top, '.Trash', String(uid))] : []), named(top, `.Trash-${uid}`)]) {
      const isMade = await makeTrash(fs, place, uid).catch((error: unknown) => {
        if (isFault(error)) return false;
        throw error;
      });
      if (isMade) return { path: place, top };
    }
  }
  const homeTrash = homeTrashOf(home);
  await makeFolders(fs, parentOf(homeTrash));
  await makeTrash(fs, homeTrash, null);
  return { path: homeTrash, top: null };
}

/** False: it is a link, or another's. */
async function makeTrash(fs: FileSystem, path: Buffer, uid: number | null): Promise<boolean> {
  await makeFolder(fs, path, 0o700);
  const facts = await fs.lstat(path);
  if (uid !== null && (facts.kind !== 'folder' || facts.uid !== uid)) return false;
  for (const name of ['info', 'files']) await makeFolder(fs, named(path, name), 0o700);
  return true;
}

async function makeFolder(fs: FileSystem, path: Buffer, mode: number): Promise<void> {
  await fs.makeFolder(path, mode).catch((error: unknown) => {
    if (!isFault(error, 'EEXIST')) throw error;
  });
}

export async function makeFolders(fs: FileSystem, path: Buffer): Promise<void> {
  if ((await targetOf(fs, path)) !== null) return;
  await makeFolders(fs, parentOf(path));
  await makeFolder(fs, path, 0o755);
}
