/**
 * Packages as folders on this machine, read only: what stands there, and whether somebody changed it. Putting them there is the
 * work of svc-app-install. Decision: docs/decisions/0060-versions-side-by-side.md
 */
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { lstat, open, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { readInstalledRecord } from '../../schema/installed-record.ts';
import { limits } from '../../schema/limits.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { packageHash, type PackageEntry } from '../../schema/package-hash.ts';

interface WalkedFile {
  readonly path: string;
  readonly executable: boolean;
}

interface Walk {
  readonly files: readonly WalkedFile[];
  /** Changes whenever a file, or what stands in a folder, does. ctime is in it, so no tool can hide a change. */
  readonly mark: string;
}

/** Regular files only: links may come from the package's own installCommand and carry no bytes. Rejects what is over the limits. */
export async function walkPackage(root: string): Promise<Walk> {
  const files: WalkedFile[] = [];
  const mark = createHash('sha256').update(await realpath(root));
  let bytes = 0;
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await visit(relative);
      if (!entry.isFile()) continue;
      if (files.length >= limits.packageEntriesMax) refuse(`it holds more than ${limits.packageEntriesMax} files`);
      const stat = await lstat(path.join(root, relative));
      bytes += stat.size;
      if (bytes > limits.packageBytesMax) refuse(`it is larger than ${limits.packageBytesMax} bytes`);
      files.push({ path: relative, executable: (stat.mode & 0o100) !== 0 });
      mark.update(`\n${relative}\0${stat.ino} ${stat.size} ${stat.mode} ${stat.ctimeMs}`);
    }
  };
  await visit('');
  return { files, mark: mark.digest('hex') };
}

function refuse(why: string): never {
  throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${why}`);
}

/** Hash of what was walked, by the one rule of schema/package-hash.ts. */
export async function hashPackage(root: string, { files }: Walk): Promise<string> {
  const entries: PackageEntry[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path.join(root, file.path))) hash.update(chunk as Buffer);
    entries.push({ path: file.path, executable: file.executable, sha256: hash.digest('hex') });
  }
  return packageHash(entries);
}

/** What was delivered, as long as the folder still is what the installer left; null when a file was changed since. */
export async function deliveredHash(root: string, hash: string): Promise<string | null> {
  const text = await readFile(`${await realpath(root)}.json`, 'utf8').catch(() => '');
  const record = readInstalledRecord(text);
  if (record === null) return hash;
  return record.installedHash === hash ? record.deliveredHash : null;
}

/** Version that a rollback goes back to; null when none is kept. */
export async function previousVersion(folder: string, app: string): Promise<string | null> {
  const store = path.join(folder, '.versions', app);
  const tag = await readlink(path.join(store, 'previous')).catch(() => null);
  if (tag === null || !/^[0-9a-f]{12}$/.test(tag)) return null;
  const text = await readFile(path.join(store, `${tag}.json`), 'utf8').catch(() => '');
  const record = readInstalledRecord(text);
  if (record !== null) return record.version;
  // A plain folder that was taken over has no record.
  return (await readPackageManifest(path.join(store, tag)).catch(() => null))?.version ?? null;
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

/** A plain file below the package's folder, links not followed out of it; null when there is none. As kit/list/file.ts, which says why twice. */
export async function readPackageFile(root: string, file: string): Promise<Uint8Array | null> {
  const asked = path.resolve(root, file);
  if (file.includes('\0') || !asked.startsWith(`${root}/`)) return null;
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(asked)]);
    if (!real.startsWith(`${realRoot}/`)) return null;
    // Never waits: a pipe has no other end, and four of these waits are all the threads that the portal has for files.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      return stat.isFile() && stat.size <= limits.packageFileBytesMax ? await handle.readFile() : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
