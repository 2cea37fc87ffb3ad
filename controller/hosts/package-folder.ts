/**
 * Packages as folders on this machine, read only: what is installed and whether it was changed. svc-app-install writes them. Decision:
 * docs/decisions/0060-versions-side-by-side.md
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { SvcError } from '../../schema/errors.ts';
import { isNoPlainFile, openPlainFile, readFileBelow, readPlainFile } from '../../schema/plain-file.ts';
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
  /** The folder that was walked: that of one version, even if the link changed meanwhile. */
  readonly real: string;
  readonly files: readonly WalkedFile[];
  /** Changes whenever a file or folder changes. It includes ctime, so no tool can hide a change. */
  readonly mark: string;
}

/** So many files are read before the event loop gets a turn for the proxy. */
const filesAtOnce = 500;

/**
 * Regular files only: links may come from the package's own installCommand and carry no bytes. Rejects what is over the limits, and ENOENT
 * or ENOTDIR when there is no such folder. A file that disappears during the walk counts as absent. Folders are read asynchronously, so a
 * disk that hangs blocks nothing else; a stat in a folder that was just read is seven times cheaper in this thread. Decision:
 * docs/decisions/0085-one-look-one-command.md
 */
export async function walkPackage(root: string): Promise<Walk> {
  const real = await realpath(root);
  const files: WalkedFile[] = [];
  const mark = createHash('sha256').update(real);
  let bytes = 0;
  let visited = 0;
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(path.join(real, folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await visit(relative).catch(unlessGone);
      if (!entry.isFile()) continue;
      if (files.length >= limits.packageEntriesMax) refuse(`it holds more than ${limits.packageEntriesMax} files`);
      visited += 1;
      if (visited % filesAtOnce === 0) await turn();
      const stat = lstatSync(path.join(real, relative), { throwIfNoEntry: false });
      if (stat === undefined) continue;
      bytes += stat.size;
      if (bytes > limits.packageBytesMax) refuse(`it is larger than ${limits.packageBytesMax} bytes`);
      files.push({ path: relative, executable: (stat.mode & 0o100) !== 0 });
      mark.update(`\n${relative}\0${stat.ino} ${stat.size} ${stat.mode} ${stat.ctimeMs}`);
    }
  };
  await visit('');
  return { real, files, mark: mark.digest('hex') };
}

/** ENOENT and ENOTDIR mean absent. Any other error says nothing about whether the file exists. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unlessGone(error: unknown): void {
  if (!isAbsent(error)) throw error;
}

function refuse(why: string): never {
  throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${why}`);
}

/** Hash of what was walked, by the one rule of schema/package-hash.ts. */
export async function hashPackage({ real, files }: Walk): Promise<string> {
  const entries: PackageEntry[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    const { handle } = await openPlainFile(path.join(real, file.path));
    for await (const chunk of handle.createReadStream()) hash.update(chunk as Buffer);
    entries.push({ path: file.path, executable: file.executable, sha256: hash.digest('hex') });
  }
  return packageHash(entries);
}

/** Marks the files that the installer and the launcher keep beside a version: its record, and which version a rollback goes back to. */
export async function markBeside({ real }: Walk, folder: string, app: string): Promise<string> {
  const record = await stat(`${real}.json`).catch((error: unknown) => {
    unlessGone(error);
    return null;
  });
  return `${record?.ino} ${record?.size} ${record?.ctimeMs} ${await previousTag(folder, app)}`;
}

/** The delivered hash, as long as the folder still is what the installer left; null when a file was changed since. */
export async function deliveredHash({ real }: Walk, hash: string): Promise<string | null> {
  const record = readInstalledRecord(await textAt(`${real}.json`));
  if (record === null) return hash;
  return record.installedHash === hash ? record.deliveredHash : null;
}

/** '' when there is no such file. */
async function textAt(file: string): Promise<string> {
  try {
    return String(await readPlainFile(file));
  } catch (error) {
    unlessGone(error);
    return '';
  }
}

async function previousTag(folder: string, app: string): Promise<string | null> {
  const tag = await readlink(path.join(folder, '.versions', app, 'previous')).catch(() => null);
  return tag !== null && /^[0-9a-f]{12}$/.test(tag) ? tag : null;
}

/** Version that a rollback goes back to; null when none is kept. */
export async function previousVersion(folder: string, app: string): Promise<string | null> {
  const tag = await previousTag(folder, app);
  if (tag === null) return null;
  const kept = path.join(folder, '.versions', app, tag);
  const record = readInstalledRecord(await textAt(`${kept}.json`));
  if (record !== null) return record.version;
  // A plain folder that was taken over has no record.
  return (await readPackageManifest(kept).catch(() => null))?.version ?? null;
}

/** The manifest of a package folder; null when there is none, MANIFEST_INVALID when it can't be acted on. */
export async function readPackageManifest(root: string): Promise<Manifest | null> {
  let bytes: Buffer;
  try {
    bytes = await readPlainFile(path.join(root, 'svc-app.json'), limits.manifestBytesMax);
  } catch (error) {
    if (isAbsent(error)) return null;
    if (isNoPlainFile(error)) throw new SvcError('MANIFEST_INVALID', (error as Error).message);
    throw error;
  }
  return parseManifest(bytes);
}

/** A plain file below the package's folder, links not followed out of it; null when there is none. */
export async function readPackageFile(root: string, file: string): Promise<Uint8Array | null> {
  return await readFileBelow(root, file, limits.packageFileBytesMax);
}
