/**
 * A package as a tree of plain files: walked, hashed, copied with the modes and the durability that an installation needs.
 * Nothing but files and folders passes, and never past the limits: a package may come from anyone.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, fsync, lstatSync, openSync, read as readCallback } from 'node:fs';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { packageHash, type PackageEntry } from '../../schema/package-hash.ts';
import type { Chooser } from '../archive/walk.ts';
import { isExchanged, isForeignName, openBeneath, openFile, openFolder, pathOf, within } from '../beneath.ts';
import { faultPoint } from './faults.ts';

const read = promisify(readCallback);
const sync = promisify(fsync);

interface TreeFile {
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: number;
  /** Another one whenever the file was changed: it includes ctime, which no tool sets. */
  readonly mark: string;
}

export interface Tree {
  readonly files: readonly TreeFile[];
  /** Parents before their children. */
  readonly folders: readonly string[];
}

interface Rules {
  readonly bytesMax?: number;
  readonly entriesMax?: number;
  /** Files made by a root phase may be links; delivered files may not. */
  readonly othersAllowed?: boolean;
  /** Entries that count; a folder ends in '/'. */
  readonly chosen?: Chooser;
}

/** Walks an open folder. Rejects PACKAGE_REFUSED, naming the entry, for links, devices, sockets and anything over the limits. */
export async function walkTree(root: number, rules: Rules = {}): Promise<Tree> {
  const files: TreeFile[] = [];
  const folders: string[] = [];
  const { entriesMax = sharedLimits.packageEntriesMax, bytesMax = sharedLimits.packageBytesMax } = rules;
  let bytes = 0;
  const delivered = fstatSync(root);
  const visit = async (fd: number, folder: string, depth: number): Promise<void> => {
    if (depth > limits.packageDepthMax) refusePackage(`${JSON.stringify(folder)} lies deeper than ${limits.packageDepthMax} folders`);
    for (const entry of await readdir(pathOf(fd), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (rules.chosen?.(entry.isDirectory() ? `${path}/` : path) === false) continue;
      if (files.length + folders.length >= entriesMax) refusePackage(`it holds more than ${entriesMax} entries`);
      if (entry.isDirectory()) {
        folders.push(path);
        const inner = unchanged(path, () => openFolder(within(fd, entry.name)));
        try {
          await visit(inner, path, depth + 1);
        } finally {
          closeSync(inner);
        }
      } else if (entry.isFile()) {
        const stat = unchanged(path, () => lstatSync(within(fd, entry.name)));
        if (rules.othersAllowed !== true && isForeignName(stat, delivered))
          refusePackage(`${JSON.stringify(path)} is a second name of a file of somebody else`);
        bytes += stat.size;
        if (bytes > bytesMax) refusePackage(`it is larger than ${bytesMax} bytes`);
        const executable = (stat.mode & 0o100) !== 0;
        files.push({ path, executable, bytes: stat.size, mark: `${stat.ino} ${stat.size} ${stat.mode} ${stat.mtimeMs} ${stat.ctimeMs}` });
      } else if (rules.othersAllowed !== true)
        refusePackage(`${JSON.stringify(path)} is neither a file nor a folder (links and devices are not taken)`);
    }
  };
  await visit(root, '', 0);
  return { files, folders };
}

/** Another process changes the folder: it differs from what was walked. */
function unchanged<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isExchanged(error)) throw error;
    return refusePackage(`${JSON.stringify(path)} changed while it was read`);
  }
}

export function refusePackage(why: string): never {
  throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${why}`);
}

/** Hashes the folder, or the folder that a link of svc names, by the rule of schema/package-hash.ts: regular files only. */
export async function hashTree(path: string, rules: Rules = {}): Promise<string> {
  const root = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await hashFiles(root, await walkTree(root, rules));
  } finally {
    closeSync(root);
  }
}

/** Hashes the files that were found in the open folder. */
export async function hashFiles(root: number, { files }: Tree): Promise<string> {
  const entries: PackageEntry[] = [];
  for (const file of files) {
    const fd = unchanged(file.path, () => openBeneath(root, file.path));
    entries.push({ path: file.path, executable: file.executable, sha256: await digestOf(fd) });
  }
  return packageHash(entries);
}

/** Hex digest of a regular file; a link in its place is refused by the kernel. */
export async function hashFile(path: string, algorithm: Algorithm = 'sha256'): Promise<string> {
  return await digestOf(openFile(path), algorithm);
}

type Algorithm = 'sha256' | 'blake2b512';

/** Closes it. */
async function digestOf(fd: number, algorithm: Algorithm = 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  try {
    const buffer = Buffer.allocUnsafeSlow(1_024 * 1_024);
    for (;;) {
      const { bytesRead } = await read(fd, buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * Copies what was walked in the open folder `source` into `target`, which exists, is empty and private; modes become 0755 and 0644,
 * independent of the umask.
 */
export async function copyTree(source: number, target: string, tree: Tree): Promise<void> {
  for (const folder of tree.folders) await mkdir(join(target, folder), { mode: 0o755 });
  for (const [index, file] of tree.files.entries()) {
    const fd = unchanged(file.path, () => openBeneath(source, file.path));
    try {
      await copyOpen(fd, join(target, file.path), file);
    } finally {
      closeSync(fd);
    }
    if (index === 0) faultPoint('first-file-copied');
  }
}

/** By the descriptor: the opened file is copied, even if its name was replaced meanwhile. */
async function copyOpen(fd: number, to: string, { path, bytes }: Pick<TreeFile, 'path' | 'bytes'>): Promise<void> {
  const changed = (): never => refusePackage(`${JSON.stringify(path)} changed while it was copied`);
  // Grown or turned into something else since the walk: what is installed is what was judged.
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.size !== bytes) changed();
  await copyFile(pathOf(fd), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  if ((await lstat(to)).size !== bytes) changed();
}

/**
 * Owner, modes and bytes as they shall stay, on disk for good. Rejects links and the like: nothing is followed, also while who wrote the tree
 * is still in it. From above, so that they can't reach in any more: a folder is looked into after it was closed to them.
 */
export async function setModes(path: string, rules: Rules = {}): Promise<void> {
  const { entriesMax = sharedLimits.packageEntriesMax } = rules;
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  let entries = 0;
  const visit = async (fd: number, folder: string, depth: number): Promise<void> => {
    if (depth > limits.packageDepthMax) refusePackage(`${JSON.stringify(folder)} lies deeper than ${limits.packageDepthMax} folders`);
    setMode(fd, 0o755, owner);
    for (const entry of await readdir(pathOf(fd), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if ((entries += 1) > entriesMax) refusePackage(`it holds more than ${entriesMax} entries`);
      const opened = unchanged(name, () => openFile(within(fd, entry.name)));
      try {
        const stat = fstatSync(opened);
        if (stat.isDirectory()) await visit(opened, name, depth + 1);
        else if (!stat.isFile() || stat.nlink > 1) refusePackage(`${JSON.stringify(name)} is neither a file of its own nor a folder`);
        else {
          setMode(opened, (stat.mode & 0o100) === 0 ? 0o644 : 0o755, owner);
          await sync(opened);
        }
      } finally {
        closeSync(opened);
      }
    }
    await sync(fd);
  };
  const root = openFolder(path);
  try {
    await visit(root, '', 0);
  } finally {
    closeSync(root);
  }
}

function setMode(fd: number, mode: number, owner: { readonly uid: number; readonly gid: number }): void {
  const stat = fstatSync(fd);
  if (stat.uid !== owner.uid || stat.gid !== owner.gid) fchownSync(fd, owner.uid, owner.gid);
  if ((stat.mode & 0o7777) !== mode) fchmodSync(fd, mode);
}
