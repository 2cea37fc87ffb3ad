/**
 * Packages as folders on this machine: walk, hash, copy, swap. Nothing but plain files and folders passes, and never past the
 * limits: a package may come from anyone. Decision: docs/decisions/0032-packages-on-a-local-server.md
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { packageHash, type PackageEntry } from '../../schema/package-hash.ts';
import { faultPoint } from '../faults.ts';

interface WalkedFile {
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: number;
}
interface Walk {
  readonly files: readonly WalkedFile[];
  readonly folders: readonly string[];
}

/** Rejects PACKAGE_REFUSED, naming the entry, for links, devices, sockets and anything over the limits. */
async function walkPackage(root: string): Promise<Walk> {
  const files: WalkedFile[] = [];
  const folders: string[] = [];
  let bytes = 0;
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (files.length + folders.length >= limits.packageEntriesMax) refuse(`it holds more than ${limits.packageEntriesMax} entries`);
      if (entry.isDirectory()) {
        folders.push(relative);
        await visit(relative);
      } else if (entry.isFile()) {
        const stat = await lstat(path.join(root, relative));
        bytes += stat.size;
        if (bytes > limits.packageBytesMax) refuse(`it is larger than ${limits.packageBytesMax} bytes`);
        files.push({ path: relative, executable: (stat.mode & 0o100) !== 0, bytes: stat.size });
      } else refuse(`${JSON.stringify(relative)} is neither a file nor a folder (links and devices are not taken)`);
    }
  };
  await visit('');
  return { files, folders };
}

function refuse(why: string): never {
  throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${why}`);
}

/** Hash of a package folder by the one rule of schema/package-hash.ts. */
export async function hashPackage(root: string): Promise<string> {
  const { files } = await walkPackage(root);
  const entries: PackageEntry[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path.join(root, file.path))) hash.update(chunk as Buffer);
    entries.push({ path: file.path, executable: file.executable, sha256: hash.digest('hex') });
  }
  return packageHash(entries);
}

/** The manifest of a package folder; null when there is none, MANIFEST_INVALID when it can't be acted on. */
export async function readPackageManifest(root: string): Promise<Manifest | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path.join(root, 'svc-app.json'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return null;
    throw error;
  }
  return parseManifest(bytes);
}

/**
 * Puts a copy of `source` at `parent/app` and takes the one before away. The old one is moved aside first, so a death in between
 * leaves a gap that `recoverSwaps` closes by moving it back: an app is either the old or the new one, never half of each.
 */
export async function installFolder(source: string, parent: string, app: string): Promise<void> {
  const walk = await walkPackage(source);
  const tag = randomBytes(6).toString('hex');
  const staging = path.join(parent, `.new-${app}-${tag}`);
  const target = path.join(parent, app);
  faultPoint('install/before-copy');
  await mkdir(parent, { recursive: true, mode: 0o755 });
  try {
    await copyWalk(source, staging, walk);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
  faultPoint('install/copied');
  const old = await moveAside(parent, app, tag);
  faultPoint('install/old-aside');
  await rename(staging, target);
  await syncFolder(parent);
  faultPoint('install/swapped');
  if (old !== null) await rm(old, { recursive: true, force: true });
  faultPoint('install/done');
}

export async function removeFolder(parent: string, app: string): Promise<void> {
  faultPoint('remove/before');
  const old = await moveAside(parent, app, `gone-${randomBytes(6).toString('hex')}`);
  if (old === null) return;
  await syncFolder(parent);
  faultPoint('remove/aside');
  await rm(old, { recursive: true, force: true });
  faultPoint('remove/done');
}

async function moveAside(parent: string, app: string, tag: string): Promise<string | null> {
  const old = path.join(parent, `.old-${app}-${tag}`);
  try {
    await rename(path.join(parent, app), old);
    return old;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Ends what a death left behind: staging folders go; an old folder goes back when nothing stands in its place, unless it was
 * being removed (its tag says so). Called once before anything is installed.
 */
export async function recoverSwaps(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [] as string[]);
  for (const name of names) {
    const old = /^\.old-([a-z0-9-]+)-[0-9a-f]{12}$/.exec(name);
    const leftover = path.join(parent, name);
    if (old?.[1] !== undefined && !old[1].endsWith('-gone') && !names.includes(old[1])) await rename(leftover, path.join(parent, old[1]));
    else if (old !== null || /^\.new-[a-z0-9-]+-[0-9a-f]{12}$/.test(name)) await rm(leftover, { recursive: true, force: true });
  }
}

async function copyWalk(source: string, staging: string, walk: Walk): Promise<void> {
  await mkdir(staging, { mode: 0o755 });
  for (const folder of walk.folders) await mkdir(path.join(staging, folder), { mode: 0o755 });
  for (const file of walk.files) {
    const to = path.join(staging, file.path);
    await copyFile(path.join(source, file.path), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const handle = await open(to, 'r+');
    try {
      // Grown or turned into something else since the walk: what is hashed is what was judged.
      if ((await handle.stat()).size !== file.bytes) refuse(`${JSON.stringify(file.path)} changed while it was copied`);
      await handle.chmod(file.executable ? 0o755 : 0o644);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  for (const folder of ['', ...walk.folders]) await syncFolder(path.join(staging, folder));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
