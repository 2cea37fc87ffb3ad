/**
 * Writes an extracted archive below a folder that it makes, and removes a tree, without ever following a link: every step goes through the
 * descriptor of the parent folder (`/proc/self/fd/N/name`, which is openat) with O_NOFOLLOW, so replacing a folder with a link in between
 * leads to an error, not to our bytes elsewhere. Synchronous: meant for a separate process (svc-app-install).
 */
import { closeSync, constants, fchmodSync, fchownSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { renameSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isMissing } from '../atomic-file.ts';
import { isExchanged, openFolder, pathOf, within } from '../beneath.ts';
import type { ArchiveSink } from './entry-tree.ts';
import { refuse } from './rules.ts';
import { errorCode } from '../../schema/system-error.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** A folder that is filled while it is removed is left: without a bound the removal would never return. */
const removeRoundsMax = 1_000;

export interface FolderWriter extends ArchiveSink {
  /** Whole: modes set and, when asked for, on the disk. The writer is done with it. */
  readonly close: () => void;
  /** Closes and removes all of it. Never throws. */
  readonly abandon: () => void;
}

interface Options {
  /** fsync of every file and folder. */
  readonly durable: boolean;
}

/** Makes `target` (0700; throws EEXIST when anything is there). The folder above it is trusted. */
export function folderWriter(target: string, { durable }: Options): FolderWriter {
  const whole = resolve(target);
  mkdirSync(whole, 0o700);
  const root = openFolder(whole);
  /** Open folders from the root to the last entry: entries of one folder come together. */
  const open: { readonly name: string; readonly fd: number }[] = [];
  let file: number | null = null;

  const closeFolder = (fd: number): void => {
    if (durable) fsyncSync(fd);
    closeSync(fd);
  };

  const enter = (path: readonly string[]): number => {
    let same = 0;
    while (same < open.length && same < path.length && open[same]?.name === path[same]) same += 1;
    for (const { fd } of open.splice(same).toReversed()) closeFolder(fd);
    for (const name of path.slice(same)) {
      const fd = guarded(path, () => openFolder(within(open.at(-1)?.fd ?? root, name)));
      open.push({ name, fd });
    }
    return open.at(-1)?.fd ?? root;
  };

  const shut = (): void => {
    if (file !== null) closeSync(file);
    file = null;
    for (const { fd } of open.splice(0)) closeSync(fd);
  };

  return {
    folder: (path) => {
      const parent = enter(path.slice(0, -1));
      guarded(path, () => mkdirSync(within(parent, path.at(-1) as string), 0o755));
      fchmodSync(enter(path), 0o755);
    },
    file: (path, _bytes, executable) => {
      const parent = enter(path.slice(0, -1));
      const name = within(parent, path.at(-1) as string);
      file = guarded(path, () => openSync(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600));
      fchmodSync(file, executable ? 0o755 : 0o644);
    },
    data: (chunk) => {
      for (let at = 0; at < chunk.length;) at += writeSync(file as number, chunk, at);
    },
    endFile: () => {
      if (durable) fdatasyncSync(file as number);
      closeSync(file as number);
      file = null;
    },
    close: () => {
      for (const { fd } of open.splice(0).toReversed()) closeFolder(fd);
      closeFolder(root);
    },
    abandon: () => {
      try {
        shut();
        closeSync(root);
      } catch {
        // Closed before: nothing is written through it any more.
      }
      try {
        removeTree(whole);
      } catch {
        // The caller must see the original error; what is left is below a private 0700 folder.
      }
    },
  };
}

/** Removes a file or a whole tree; a link is removed itself. True when something was there. */
export function removeTree(path: string): boolean {
  const whole = resolve(path);
  let parent: number;
  try {
    parent = openSync(dirname(whole), O_RDONLY | O_DIRECTORY);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  try {
    return removeEntry(parent, basename(whole));
  } finally {
    closeSync(parent);
  }
}

function removeEntry(parent: number, name: string): boolean {
  const entry = within(parent, name);
  for (let round = 1; ; round += 1) {
    try {
      unlinkSync(entry);
      return true;
    } catch (error) {
      if (isMissing(error)) return round > 1;
      if (errorCode(error) !== 'EISDIR' && errorCode(error) !== 'EPERM') throw error;
    }
    try {
      emptyFolder(entry);
      rmdirSync(entry);
      return true;
    } catch (error) {
      // Swapped for something else, or filled again, meanwhile.
      const again = ['ELOOP', 'ENOTDIR', 'ENOENT', 'ENOTEMPTY'].includes(errorCode(error));
      if (!again || round >= removeRoundsMax) throw error;
    }
  }
}

function emptyFolder(path: string): void {
  const fd = openFolder(path);
  try {
    // Only root may write to it now, so it can't be filled again; its owner needs write permission to empty it.
    if (process.getuid?.() === 0) fchownSync(fd, 0, 0);
    fchmodSync(fd, 0o700);
    for (const inside of readdirSync(pathOf(fd), { encoding: 'buffer' })) {
      const name = inside.toString('utf8');
      if (Buffer.from(name).equals(inside)) removeEntry(fd, name);
      else removeOddName(fd, inside);
    }
  } finally {
    closeSync(fd);
  }
}

/** Under a name that can be written, it is removed as any other. */
function removeOddName(parent: number, name: Buffer): void {
  const plain = `.odd-${name.toString('hex').slice(0, 200)}`;
  renameSync(Buffer.concat([Buffer.from(within(parent, '')), name]), within(parent, plain));
  removeEntry(parent, plain);
}

/** The reader checked it, but the disk differs: another process is changing the folder. */
function guarded<T>(path: readonly string[], act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isExchanged(error)) throw error;
    return refuse('CHANGED', `the folder was changed by somebody else meanwhile (${errorCode(error)})`, path.join('/'));
  }
}
