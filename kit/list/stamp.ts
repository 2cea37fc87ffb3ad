/**
 * A hash over names, sizes, modes and times of everything below a folder: a folder that is unchanged since the portal's last listing is neither read
 * nor printed. Synchronous, because this program does nothing else meanwhile.
 * Decision: docs/decisions/0085-one-look-one-command.md
 */
import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../limits.ts';
import { isMissing } from '../atomic-file.ts';
import type { Account } from '../../schema/account-lookup.ts';
import { dpkgStatusFile } from '../../schema/server-paths.ts';

/** Null when unknown: something can't be read, or there is too much. Then the folder is read whole. */
export function stampOf(folder: string): string | null {
  const hash = createHash('sha256');
  const versions = join(folder, '.versions');
  let left = limits.stampedEntriesMax;
  const visit = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      left -= 1;
      if (left < 0) throw new Error('more than is looked at each time');
      // Installations under way, and caches of the listing.
      if (at === versions && (entry.name.startsWith('in.') || entry.name.endsWith('.hash'))) continue;
      const path = join(at, entry.name);
      if (!stamp(hash, path) || !entry.isDirectory()) continue;
      try {
        visit(path);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
  };
  try {
    visit(folder);
    return hash.digest('hex');
  } catch (error) {
    return isMissing(error) && lstatOrNull(folder) === null ? 'absent' : null;
  }
}

/** As the person, so that a link leads nowhere they may not go themselves. Only while nothing else is under way in this program. */
export function stampAs({ uid, gid }: Pick<Account, 'uid' | 'gid'>, folder: string): string | null {
  const groups = process.getgroups?.() ?? [];
  try {
    process.setgroups?.([gid]);
    process.setegid?.(gid);
    process.seteuid?.(uid);
    return stampOf(folder);
  } catch {
    // A container may forbid root to change its account: then the listing as the person decides.
    return null;
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}

/** Changes with the Linux packages, and when an engine is added or removed, or a file in one of few files changes; null when unknown. */
export function inventoryStamp(root: string): string | null {
  const hash = createHash('sha256');
  stamp(hash, dpkgStatusFile);
  let left = limits.sealedFilesMax;
  const visit = (folder: string, depth: number): void => {
    const isInside = depth > 3;
    if (isInside && left <= 0) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isInside && (left -= 1) < 0) return;
      if (!isInside && (!entry.isDirectory() || entry.name.startsWith('.'))) continue;
      if (depth >= 3) stamp(hash, path);
      if (entry.isDirectory()) visit(path, depth + 1);
    }
  };
  try {
    visit(root, 1);
  } catch (error) {
    if (!isMissing(error)) return null;
  }
  return hash.digest('hex');
}

/** ctime is in it, so no tool can hide a change. False when it is gone already. */
function stamp(hash: Hash, path: string): boolean {
  const stat = lstatOrNull(path);
  if (stat !== null) hash.update(`${path}\0${stat.ino} ${stat.size} ${stat.mode} ${stat.mtimeMs} ${stat.ctimeMs}\n`);
  return stat !== null;
}

function lstatOrNull(path: string) {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
