/**
 * Files and folders through the descriptor of the parent folder (`/proc/self/fd/N/name`, which is openat) with O_NOFOLLOW: an account that
 * may write to a folder can replace a name in it with a link at any moment, and root would follow it. Node has no openat.
 * Decision: docs/decisions/0125-root-follows-no-link-of-others.md
 */
import os from 'node:os';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs';
import { resolve } from 'node:path';
import { SvcError } from '../schema/errors.ts';
import { errorCode } from '../schema/system-error.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** As the kernel: more links than that on one path are a loop. */
const linksMax = 40;

/** The path of a name below an open folder; the kernel does not look at any path above it. */
export function within(folder: number, name: string): string {
  return `/proc/self/fd/${folder}/${name}`;
}

/** The open folder itself as a path, for what takes paths only. */
export function pathOf(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** Throws ELOOP or ENOTDIR when the last name is no folder. */
export function openFolder(path: string): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Opens a file for reading; does not block on a pipe. The caller checks the file type. Throws ELOOP for a link. */
export function openFile(path: string): number {
  return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

/**
 * Opens the file `path` (names with `/` between) below the open folder, one folder at a time. Throws as the kernel does, ELOOP also for a
 * hard link to another account's file.
 */
export function openBeneath(folder: number, path: string): number {
  const names = path.split('/');
  const last = names.pop() as string;
  let at = folder;
  try {
    for (const name of names) {
      const next = openFolder(within(at, name));
      if (at !== folder) closeSync(at);
      at = next;
    }
    const file = openFile(within(at, last));
    if (!isForeignName(fstatSync(file), fstatSync(folder))) return file;
    closeSync(file);
    throw Object.assign(new Error(`${path} is a second name of a file of somebody else`), {
      code: 'ELOOP',
      errno: -os.constants.errno.ELOOP,
    });
  } finally {
    if (at !== folder) closeSync(at);
  }
}

/** Whether the error says that a name is something else than it was a moment ago, or is gone. */
export function isExchanged(error: unknown): boolean {
  return ['ELOOP', 'ENOTDIR', 'ENOENT', 'ENXIO', 'EEXIST'].includes(errorCode(error));
}

/**
 * Opens a path from the command line. As root, each name is opened separately, and a link is followed only where only root could have made
 * it. Throws PACKAGE_REFUSED for another link, PACKAGE_SOURCE_MISSING when there is nothing.
 */
export function openNamed(path: string, kind: 'folder' | 'file'): number {
  const whole = resolve(path);
  try {
    if (process.getuid?.() !== 0) return openSync(whole, kind === 'folder' ? O_RDONLY | O_DIRECTORY : O_RDONLY | O_NONBLOCK);
    return openAsRoot(whole, kind);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') throw new SvcError('PACKAGE_SOURCE_MISSING', `${path} is not there`);
    if (code === 'ENOTDIR') throw refused(`${path} is no folder`);
    if (code === 'ELOOP' || code === 'ENXIO') throw refused(`${path} was exchanged for something else meanwhile`);
    throw error;
  }
}

function openAsRoot(whole: string, kind: 'folder' | 'file'): number {
  const names = whole.split('/').filter((name) => name !== '');
  let at = openFolder('/');
  let links = 0;
  const step = (to: number): void => {
    closeSync(at);
    at = to;
  };
  try {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const entry = within(at, name);
      const target = linkOf(at, entry, whole);
      if (target !== null) {
        if ((links += 1) > linksMax) throw refused(`${whole} leads through too many links`);
        if (target.startsWith('/')) step(openFolder('/'));
        names.unshift(...target.split('/').filter((one) => one !== '' && one !== '.'));
      } else step(names.length === 0 && kind === 'file' ? openFile(entry) : openFolder(entry));
    }
  } catch (error) {
    closeSync(at);
    throw error;
  }
  return at;
}

const refused = (why: string): SvcError => new SvcError('PACKAGE_REFUSED', `the package is refused: ${why}`);

/** Null when the entry is no link. */
function linkOf(folder: number, entry: string, whole: string): string | null {
  const stat = lstatSync(entry);
  if (!stat.isSymbolicLink()) return null;
  const above = fstatSync(folder);
  // Only then it can't have changed between the two checks.
  if (stat.uid !== 0 || above.uid !== 0 || (above.mode & 0o022) !== 0)
    throw refused(`on the way to ${whole} there is a link that somebody else than root may change; name what is meant without it`);
  return readlinkSync(entry);
}

/**
 * Whether the file may be a hard link to another account's file, found by root in a folder of others. `folder`: the one that was delivered; one within it may be
 * another's, moved there. The kernel forbids such links (fs.protected_hardlinks) unless that is switched off.
 */
export function isForeignName(file: Stats, folder: Stats): boolean {
  return process.getuid?.() === 0 && file.nlink > 1 && file.uid !== folder.uid;
}
