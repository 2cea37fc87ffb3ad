/**
 * Writes an extracted archive below a folder that it makes itself, and removes a tree, without ever following a link: every step
 * goes through the descriptor of the folder above (`/proc/self/fd/N/name`, which is openat) with O_NOFOLLOW, so whoever swaps a
 * folder for a link in between gets a refusal and not our bytes. Synchronous: meant for a process of its own (svc-app-install).
 */
import { closeSync, constants, fchmodSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { errorCode, isMissing } from '../atomic-file.ts';
import type { ArchiveSink } from './entry-tree.ts';
import { refuse } from './rules.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

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
        // The cause of the abandoning is what the caller must see; what stays is below a 0700 folder that nobody uses.
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
  try {
    unlinkSync(entry);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (errorCode(error) !== 'EISDIR' && errorCode(error) !== 'EPERM') throw error;
  }
  let fd: number;
  try {
    fd = openFolder(entry);
  } catch (error) {
    // It was swapped for something else meanwhile.
    if (['ELOOP', 'ENOTDIR', 'ENOENT'].includes(errorCode(error))) return removeEntry(parent, name);
    throw error;
  }
  try {
    // A folder without write permission for its owner could not be emptied.
    fchmodSync(fd, 0o700);
    for (const inside of readdirSync(`/proc/self/fd/${fd}`)) removeEntry(fd, inside);
  } finally {
    closeSync(fd);
  }
  try {
    rmdirSync(entry);
  } catch (error) {
    if (isMissing(error) || errorCode(error) === 'ENOTEMPTY') return removeEntry(parent, name);
    throw error;
  }
  return true;
}

/** One name below an open folder; the kernel does not look at any path above it. */
function within(fd: number, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

function openFolder(path: string): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** What the reader has promised but the disk does not keep: somebody else is at work in the folder. */
function guarded<T>(path: readonly string[], act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!['EEXIST', 'ELOOP', 'ENOTDIR', 'ENOENT'].includes(errorCode(error))) throw error;
    return refuse('CHANGED', `the folder was changed by somebody else meanwhile (${errorCode(error)})`, path.join('/'));
  }
}
