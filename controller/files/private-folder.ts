/**
 * Where something grows until it has its name: a folder beside that, of the account and of nobody else, held from when it is made. So nobody exchanges what is in it,
 * also where others may write beside it. Removed once it is empty. Decision: docs/decisions/0371-folders-are-held.md
 */
import { FileFault, isFault } from './file-fault.ts';
import { joined, type PinnedFileSystem } from './file-system.ts';
import { type Place } from './holding.ts';
import { newPrefix } from './placing.ts';
import { quiet, removeAt } from './trees.ts';

export interface PrivateFolder {
  readonly path: Buffer;
  /** The handle only: what is in it goes on later. */
  close(): Promise<void>;
  /** With the one thing that may be in it. Never throws. */
  remove(name: Buffer): Promise<void>;
}

const isDone = (): boolean => true;
const isNotDone = (): boolean => false;
const nameOfPrivate = (id: string): Buffer => Buffer.from(newPrefix + id);

/** `above`: a held folder. */
export async function makePrivateFolder(fs: PinnedFileSystem, above: Buffer, id: string): Promise<PrivateFolder> {
  await fs.makeFolder(joined(above, nameOfPrivate(id)), 0o700);
  return await openPrivateFolder(fs, above, id);
}

/** Opens a private folder that was made before. Rejects EXCHANGED when it is another's. */
export async function openPrivateFolder(fs: PinnedFileSystem, above: Buffer, id: string): Promise<PrivateFolder> {
  const path = joined(above, nameOfPrivate(id));
  const held = await fs.hold(path, 'refuse');
  try {
    await refuseOthers(fs, held.path);
  } catch (error) {
    await held.close().catch(() => undefined);
    throw error;
  }
  return {
    path: held.path,
    close: () => held.close().catch(() => undefined),
    remove: async (name) => {
      const removeFolder = async (): Promise<boolean> => await fs.removeFolder(path).then(isDone, isNotDone);
      // It is empty once what grew in it has its name.
      if (!(await removeFolder())) {
        await removeAt(fs, { folder: held.path, name, shown: joined(path, name) }, quiet).catch(() => undefined);
        const isGone = await removeFolder();
        await held.close().catch(() => undefined);
        // Some file systems remove no folder that is open.
        if (!isGone) await removeFolder();
      } else await held.close().catch(() => undefined);
    },
  };
}

async function refuseOthers(fs: PinnedFileSystem, folder: Buffer): Promise<void> {
  const facts = await fs.stat(folder);
  const own = fs.uid ?? ((facts.mode & 0o077) === 0 ? facts.uid : await ownUid(fs, folder));
  if (facts.uid !== own) throw new FileFault('EXCHANGED');
  // Some file systems know no modes (FAT, CIFS): there everything is everybody's.
  if ((facts.mode & 0o022) !== 0)
    await fs.setMode(folder, 0o700).catch((error: unknown) => {
      if (!isFault(error)) throw error;
    });
}

/** Where a server does not say it: whose a new file is. */
async function ownUid(fs: PinnedFileSystem, folder: Buffer): Promise<number> {
  const path = joined(folder, Buffer.from(`${newPrefix}0`));
  const file = await fs.open(path, 'create', 0o600);
  try {
    return (await file.facts()).uid;
  } finally {
    await file.close();
    await fs.removeFile(path);
  }
}

/** A name in it, by the path that it will have. */
export const placeInPrivate = ({ path }: PrivateFolder, name: Buffer, shown: Buffer): Place => ({ folder: path, name, shown });
