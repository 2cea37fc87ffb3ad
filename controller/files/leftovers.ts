/** Files and folders on their way to their name that a portal left when it was killed: gone once no upload can go on from them, and nothing else makes them. */
import type { FileEntry, FileSystem } from './file-system.ts';
import { joined } from './file-system.ts';
import { limits } from './limits.ts';
import { newPrefix } from './placing.ts';
import { quiet, removeTree } from './trees.ts';

/** On its way to its name, or left on it: nobody's file yet. */
const pattern = new RegExp(`^${newPrefix.replaceAll('.', '\\.')}[0-9a-f]{32}$`);

export const isOnItsWay = (name: Buffer): boolean => name.length === newPrefix.length + 32 && pattern.test(name.toString('latin1'));

/** Never a link: what it leads to may be anything. */
export function isLeftover({ name, kind, modifiedMs }: FileEntry, nowMs: number): boolean {
  // A server's clock may be another than ours.
  return (kind === 'file' || kind === 'folder') && nowMs - modifiedMs > 2 * limits.uploadIdleMs && isOnItsWay(name);
}

/**
 * Removes the leftovers of a folder that was just listed; one that can't be removed stays. Nothing is removed where somebody else may give
 * names: such a name may be any folder of the account there.
 */
export async function removeLeftovers(
  fs: FileSystem,
  folder: Buffer,
  entries: readonly FileEntry[],
  isUsed: (path: Buffer) => boolean,
): Promise<void> {
  if (entries.length === 0) return;
  const above = await fs.stat(folder).catch(() => null);
  if (above === null || (above.mode & 0o022) !== 0) return;
  for (const { name, modifiedMs, uid } of entries.slice(0, limits.leftoversAtOnceMax)) {
    const path = joined(folder, name);
    const facts = await fs.lstat(path).catch(() => null);
    if (facts === null || facts.modifiedMs !== modifiedMs || uid !== above.uid) continue;
    if ((facts.kind !== 'file' && facts.kind !== 'folder') || isUsed(path)) continue;
    await removeTree(fs, path, quiet).catch(() => undefined);
  }
}
