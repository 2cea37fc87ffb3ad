/**
 * Opens what must be a plain file and waits for nothing: the opening of a named pipe waits for its other end, four such waits are all the threads
 * that Node has for files, and a process that waits so does not end at SIGTERM either. Whatever lies where a person, an author or an administrator
 * may put something is opened by these. Anything but a plain file is FILE_KIND with its path; an error of the system stays as it is. Links are
 * followed: kit/beneath.ts is for folders of others.
 */
import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync, type Stats } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SvcError } from './errors.ts';
import { errorCode } from './system-error.ts';

const reading = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;

interface OpenPlainFile {
  /** The caller closes it. */
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** `flags` beside those of reading. */
export async function openPlainFile(file: string, flags = 0): Promise<OpenPlainFile> {
  // Before it is opened: the opening alone does something to some devices.
  plainOnly(file, await stat(file));
  const handle = await open(file, reading | flags);
  try {
    return { handle, stats: plainOnly(file, await handle.stat()) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads at most one byte more than `bytesMax`, so that the caller can tell that the file is too large. */
export async function readPlainFile(file: string, bytesMax = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const { handle, stats } = await openPlainFile(file);
  try {
    if (stats.size <= bytesMax) return await handle.readFile();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytesMax + 1), 0, bytesMax + 1, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Reads a file in a folder that another account writes to: no link leads out of the folder. Null for anything but a plain file of at most
 * `bytesMax`.
 */
export async function readFileBelow(folder: string, file: string, bytesMax: number): Promise<Buffer | null> {
  const asked = resolve(folder, file);
  if (file.includes('\0') || !asked.startsWith(`${folder}/`)) return null;
  try {
    const [realFolder, real] = await Promise.all([realpath(folder), realpath(asked)]);
    if (!real.startsWith(`${realFolder}/`)) return null;
    const { handle, stats } = await openPlainFile(real, constants.O_NOFOLLOW);
    try {
      // A folder on the path may have been replaced by a link since the check: the descriptor says what was opened.
      if (!(await readlink(`/proc/self/fd/${handle.fd}`)).startsWith(`${realFolder}/`)) return null;
      return stats.size <= bytesMax ? await handle.readFile() : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}

/** As `openPlainFile`. */
export function openPlainFileSync(file: string): { readonly fd: number; readonly stats: Stats } {
  plainOnly(file, statSync(file));
  return checked(file, openSync(file, reading));
}

/** As `readPlainFile`. */
export function readPlainFileSync(file: string, bytesMax = Number.POSITIVE_INFINITY): Buffer {
  const { fd, stats } = openPlainFileSync(file);
  try {
    if (stats.size <= bytesMax) return readFileSync(fd);
    const buffer = Buffer.alloc(bytesMax + 1);
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Throws for what is there and no plain file, without opening it: that would drop the locks of SQLite in this process. */
export function refuseOtherKindSync(file: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined) plainOnly(file, there);
}

/** For appending; made when it is not there. */
export function appendPlainFileSync(file: string, mode: number): number {
  refuseOtherKindSync(file);
  return checked(file, openSync(file, appending, mode)).fd;
}

/** Makes the file when it is not there, and gives it its mode: before a library opens it, which would wait. */
export function ensurePlainFileSync(file: string, mode: number): void {
  closeSync(appendPlainFileSync(file, mode));
  chmodSync(file, mode);
}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this account may not read it',
  ELOOP: 'it is a link to itself',
};

/** The words after "FILE can't be read: ", without the path. */
export function whyUnread(error: unknown): string {
  if (error instanceof SvcError && error.code === 'FILE_KIND') return String(error.details['kind']);
  const code = errorCode(error);
  return words[code] ?? (code === '' ? String(error) : code);
}

export const isNoPlainFile = (error: unknown): boolean => error instanceof SvcError && error.code === 'FILE_KIND';

function checked(file: string, fd: number): { readonly fd: number; readonly stats: Stats } {
  try {
    return { fd, stats: plainOnly(file, fstatSync(fd)) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function plainOnly(file: string, stats: Stats): Stats {
  const kind = otherKind(stats);
  if (kind !== null) throw new SvcError('FILE_KIND', `${file}: ${kind}`, { kind });
  return stats;
}

/** Null for a plain file. */
function otherKind(stats: Stats): string | null {
  if (stats.isFile()) return null;
  const what = stats.isFIFO() ? 'a named pipe' : stats.isDirectory() ? 'a folder' : stats.isSocket() ? 'a socket' : 'a device';
  return `expected a plain file, this is ${what}`;
}
