/** Folders that are held while something is done in them. Decision: docs/decisions/0371-folders-are-held.md */
import { FileFault } from './file-fault.ts';
import { joined, nameOf, parentOf, type FileSystem, type HeldFolder, type PinnedFileSystem } from './file-system.ts';

/** With the same files over one line. */
export async function whilePinned<Result>(fs: FileSystem, work: (pinned: PinnedFileSystem) => Promise<Result>): Promise<Result> {
  const pinned = await fs.pinned();
  try {
    return await work(pinned);
  } finally {
    pinned.release();
  }
}

/** With a folder that is held meanwhile. */
export async function whileHeld<Result>(
  fs: PinnedFileSystem,
  path: Buffer,
  link: 'follow' | 'refuse',
  work: (folder: Buffer) => Promise<Result>,
): Promise<Result> {
  const held = link === 'refuse' ? await fs.hold(path, link) : await holdByPath(fs, path);
  try {
    return await work(held.path);
  } finally {
    await held.close().catch(() => undefined);
  }
}

/** A name in a held folder, and the path that a person knows it by. */
export interface Place {
  readonly folder: Buffer;
  readonly name: Buffer;
  readonly shown: Buffer;
}

export const pathAt = ({ folder, name }: Pick<Place, 'folder' | 'name'>): Buffer => joined(folder, name);
export const placeIn = (folder: Buffer, name: Buffer, above: Buffer): Place => ({ folder, name, shown: joined(above, name) });

/** With the folder that a path is in. */
export async function whilePlaced<Result>(fs: PinnedFileSystem, path: Buffer, work: (place: Place) => Promise<Result>): Promise<Result> {
  return await whileHeld(fs, parentOf(path), 'follow', (folder) => work({ folder, name: nameOf(path), shown: path }));
}

/** As the kernel: more links than that on one path are a loop. */
const linksMax = 40;

/**
 * By its path, once. Links on the way are followed that are the account's own or root's: whoever else makes one decides where it leads, from one moment to the next. Rejects
 * ELINK for another one.
 */
export async function holdByPath(fs: PinnedFileSystem, path: Buffer): Promise<HeldFolder> {
  const held = await fs.hold(path, 'follow');
  try {
    // Where a server has no /proc it is the path itself.
    if (held.path.equals(path)) return held;
    const real = await fs.readLink(held.path);
    if (!real.equals(path) && !(await byTrustedLinks(fs, path)).equals(real)) throw new FileFault('EXCHANGED');
    return held;
  } catch (error) {
    await held.close().catch(() => undefined);
    throw error;
  }
}

const split = (path: Buffer): readonly Buffer[] =>
  path
    .toString('latin1')
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => Buffer.from(name, 'latin1'));

/** Where a path leads. */
async function byTrustedLinks(fs: PinnedFileSystem, path: Buffer): Promise<Buffer> {
  const own = fs.uid ?? (await fs.stat(await fs.realpath(Buffer.from('.')))).uid;
  const names = [...split(path)];
  let at = Buffer.from('/');
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = name.toString('latin1') === '..' ? parentOf(at) : joined(at, name);
    const { kind, uid } = await fs.lstat(next);
    if (kind !== 'link') {
      at = Buffer.from(next);
      continue;
    }
    if (uid !== 0 && uid !== own) throw new FileFault('ELINK', { path: next });
    if ((links += 1) > linksMax) throw new FileFault('ELOOP');
    const target = await fs.readLink(next);
    if (target[0] === 0x2f) at = Buffer.from('/');
    names.unshift(...split(target));
  }
  return at;
}
