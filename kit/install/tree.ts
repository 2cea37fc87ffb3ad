/**
 * A package as a tree of plain files: walked, hashed, copied with the modes and the durability that an installation needs.
 * Nothing but files and folders passes, and never past the limits: a package may come from anyone.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import { packageHash, type PackageEntry } from '../../schema/package-hash.ts';
import type { Chooser } from '../archive/walk.ts';
import { faultPoint } from './faults.ts';

interface TreeFile {
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: number;
}

export interface Tree {
  readonly files: readonly TreeFile[];
  /** Parents before their children. */
  readonly folders: readonly string[];
}

interface Rules {
  readonly bytesMax?: number;
  readonly entriesMax?: number;
  /** What a root phase made may hold links; what is delivered may not. */
  readonly othersAllowed?: boolean;
  /** Entries that count; a folder ends in '/'. */
  readonly chosen?: Chooser;
}

/** Rejects PACKAGE_REFUSED, naming the entry, for links, devices, sockets and anything over the limits. */
export async function walkTree(root: string, rules: Rules = {}): Promise<Tree> {
  const files: TreeFile[] = [];
  const folders: string[] = [];
  const { entriesMax = limits.packageEntriesMax, bytesMax = limits.packageBytesMax } = rules;
  let bytes = 0;
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > limits.packageDepthMax) refusePackage(`${JSON.stringify(folder)} lies deeper than ${limits.packageDepthMax} folders`);
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (rules.chosen?.(entry.isDirectory() ? `${path}/` : path) === false) continue;
      if (files.length + folders.length >= entriesMax) refusePackage(`it holds more than ${entriesMax} entries`);
      if (entry.isDirectory()) {
        folders.push(path);
        await visit(path, depth + 1);
      } else if (entry.isFile()) {
        const stat = await lstat(join(root, path));
        bytes += stat.size;
        if (bytes > bytesMax) refusePackage(`it is larger than ${bytesMax} bytes`);
        files.push({ path, executable: (stat.mode & 0o100) !== 0, bytes: stat.size });
      } else if (rules.othersAllowed !== true)
        refusePackage(`${JSON.stringify(path)} is neither a file nor a folder (links and devices are not taken)`);
    }
  };
  await visit('', 0);
  return { files, folders };
}

export function refusePackage(why: string): never {
  throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${why}`);
}

/** By the one rule of schema/package-hash.ts: regular files only. */
export async function hashTree(root: string, rules: Rules = {}): Promise<string> {
  const { files } = await walkTree(root, rules);
  const entries: PackageEntry[] = [];
  for (const { path, executable } of files) entries.push({ path, executable, sha256: await hashFile(join(root, path)) });
  return packageHash(entries);
}

/** Hex sha256 of a regular file; a link in its place is refused by the kernel. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.allocUnsafeSlow(1_024 * 1_024);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** Copies what was walked into `target`, which exists and is empty; modes become 0755 and 0644 whatever the umask is. */
export async function copyTree(source: string, target: string, tree: Tree): Promise<void> {
  for (const folder of tree.folders) await mkdir(join(target, folder), { mode: 0o755 });
  for (const [index, file] of tree.files.entries()) {
    const to = join(target, file.path);
    await copyFile(join(source, file.path), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    // Grown or turned into something else since the walk: what is installed is what was judged.
    if ((await lstat(to)).size !== file.bytes) refusePackage(`${JSON.stringify(file.path)} changed while it was copied`);
    if (index === 0) faultPoint('first-file-copied');
  }
}

/** Owner, modes and bytes as they shall stay, on disk for good. Rejects links and the like: nothing is followed. */
export async function settleTree(root: string, rules: Rules = {}): Promise<void> {
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const tree = await walkTree(root, rules);
  // From above, so that who wrote it can't reach in any more; synced from below.
  for (const path of ['', ...tree.folders]) await settle(join(root, path), 0o755, owner);
  for (const { path, executable } of tree.files) await settle(join(root, path), executable ? 0o755 : 0o644, owner);
  for (const path of tree.folders.toReversed()) await syncFolder(join(root, path));
  await syncFolder(root);
}

async function settle(path: string, mode: number, owner: { readonly uid: number; readonly gid: number }): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stat = await handle.stat();
    if (stat.uid !== owner.uid || stat.gid !== owner.gid) await handle.chown(owner.uid, owner.gid);
    if ((stat.mode & 0o7777) !== mode) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
