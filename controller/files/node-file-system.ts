/** Files as the account of this very process, a call of the kernel for each question: for account-files-main.ts. */
import { constants, lstat, type Dir, type Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { BigIntStats, Stats } from 'node:fs';
import { errorCode } from '../../schema/system-error.ts';
import { FileFault, isFault } from './file-fault.ts';
import {
  freeFilesOf,
  joined,
  type FileEntry,
  type FileFacts,
  type HeldFolder,
  type OpenFile,
  type OpenHow,
  type PinnedFileSystem,
} from './file-system.ts';
import { keepAttributesHere } from './kept-attributes.ts';
import { limits } from './limits.ts';

/** Beyond that a Date is none. */
const dateMsMax = 8.64e15;

export function factsOf(stats: Stats | BigIntStats): FileFacts {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other';
  return {
    kind,
    bytes: Number(stats.size),
    mode: Number(stats.mode) & 0o7777,
    modifiedMs: Math.max(-dateMsMax, Math.min(dateMsMax, Math.floor(Number(stats.mtimeMs)))),
    changedMs: Number(stats.ctimeMs),
    uid: Number(stats.uid),
  };
}

async function told<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const code = errorCode(error);
    if (code === '') throw error;
    // Node has no name for some numbers.
    throw new FileFault(/^E[A-Z0-9]+$/.test(code) ? code : `E${-Number((error as NodeJS.ErrnoException).errno)}`, { cause: error });
  }
}

/** Entries read in one go. */
const listBatch = 512;
const atOnce = 32;

async function* list(folder: Buffer): AsyncGenerator<readonly FileEntry[]> {
  // The types of Node know no Dir with names as bytes.
  const dir = await told(fs.opendir(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: listBatch }));
  try {
    for (;;) {
      const names = await told(nextNames(dir));
      if (names.length === 0) return;
      yield await looked(folder, names);
    }
  } finally {
    await dir.close().catch(() => undefined);
  }
}

// With callbacks: of a hundred thousand entries the promises take longer than the kernel.

function nextNames(dir: Dir): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const names: Buffer[] = [];
    const take = (error: Error | null, entry: Dirent | null): void => {
      if (error !== null) return reject(error);
      if (entry !== null) names.push(entry.name as unknown as Buffer);
      if (entry === null || names.length >= listBatch) resolve(names);
      else dir.read(take);
    };
    dir.read(take);
  });
}

/** Reads the facts of names; leaves out entries that went meanwhile. */
function looked(folder: Buffer, names: readonly Buffer[]): Promise<readonly FileEntry[]> {
  return new Promise((resolve) => {
    const found: FileEntry[] = [];
    let [next, open] = [0, 0];
    const look = (): void => {
      const name = names[next];
      if (name === undefined) {
        if (open === 0) resolve(found);
        return;
      }
      next += 1;
      open += 1;
      lstat(joined(folder, name), (error, stats) => {
        open -= 1;
        if (error === null) found.push({ name, ...factsOf(stats) });
        look();
      });
    };
    for (let at = 0; at < Math.max(1, Math.min(atOnce, names.length)); at += 1) look();
  });
}

/** O_NONBLOCK: a pipe without a writer is no reason to wait; what is no plain file is refused right after. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const writeFlags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const flags: Readonly<Record<OpenHow, number>> = {
  read: readFlags,
  'read-itself': readFlags | constants.O_NOFOLLOW,
  write: writeFlags,
  'write-itself': writeFlags | constants.O_NOFOLLOW,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
};

async function open(path: Buffer, how: OpenHow, mode = 0o600): Promise<OpenFile> {
  const handle = await told(fs.open(path, flags[how], mode)).catch((error: unknown) => {
    // A socket, a device that is not there, a pipe without a reader.
    if (isFault(error, 'ENXIO', 'ENODEV')) throw new FileFault('EKIND', { cause: error });
    throw how.endsWith('-itself') && isFault(error, 'ELOOP') ? new FileFault('EXCHANGED', { cause: error }) : error;
  });
  try {
    const facts = factsOf(await handle.stat());
    if (facts.kind !== 'file') throw new FileFault(facts.kind === 'folder' ? 'EISDIR' : 'EKIND');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    facts: async () => factsOf(await told(handle.stat())),
    read: async (at, length) => {
      const buffer = Buffer.allocUnsafeSlow(length);
      const { bytesRead } = await told(handle.read(buffer, 0, length, at));
      return bytesRead === 0 ? [] : [buffer.subarray(0, bytesRead)];
    },
    write: async (at, pieces) => {
      let from = at;
      for (let left = pieces; left.length > 0;) {
        const { bytesWritten } = await told(handle.writev(left, from));
        from += bytesWritten;
        left = behind(left, bytesWritten);
      }
    },
    sync: () => told(handle.sync()),
    setMode: (bits) => told(handle.chmod(bits)),
    setModified: (ms) => told(handle.utimes(new Date(ms), new Date(ms))),
    close: () => told(handle.close()),
  };
}

/** A descriptor that is only a place: no right to read the folder is needed. Node has no name for it. */
const O_PATH = 0o10_000_000;

async function hold(path: Buffer, link: 'follow' | 'refuse'): Promise<HeldFolder> {
  const how = O_PATH | constants.O_DIRECTORY | (link === 'refuse' ? constants.O_NOFOLLOW : 0);
  const handle = await told(fs.open(path, how)).catch((error: unknown) => {
    throw link === 'refuse' && isFault(error, 'ENOTDIR', 'ELOOP') ? new FileFault('EXCHANGED', { cause: error }) : error;
  });
  return { path: Buffer.from(`/proc/self/fd/${handle.fd}`), close: () => told(handle.close()) };
}

/** Without its first bytes. */
function behind(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let at = 0;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(Math.max(0, bytes - at));
    at += piece.length;
    return rest.length === 0 ? [] : [rest];
  });
}

export function createNodeFileSystem(): PinnedFileSystem {
  const system: PinnedFileSystem = {
    pieceBytes: () => limits.filePieceBytesMax,
    list,
    stat: async (path) => factsOf(await told(fs.stat(path))),
    lstat: async (path) => factsOf(await told(fs.lstat(path))),
    realpath: (path) => told(fs.realpath(path, 'buffer')),
    readLink: (path) => told(fs.readlink(path, 'buffer')),
    open,
    makeFolder: (path, mode) => told(fs.mkdir(path, mode)),
    removeFolder: (path) => told(fs.rmdir(path)),
    removeFile: (path) => told(fs.unlink(path)),
    rename: (from, to) => told(fs.rename(from, to)),
    link: (from, to) => told(fs.link(from, to)),
    symlink: (target, path) => told(fs.symlink(target, path)),
    setMode: (path, mode) => told(fs.chmod(path, mode)),
    // Node takes a negative number for the current time.
    setModified: (path, ms) => told(fs.utimes(path, new Date(ms), new Date(ms))),
    keepAttributes: keepAttributesHere,
    syncFolder: async (path) => {
      const handle = await told(fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY));
      // Some file systems can't, and need not.
      await handle.sync().catch(() => undefined);
      await handle.close();
    },
    space: async (path) => {
      const [found, { dev }] = await told(Promise.all([fs.statfs(path), fs.stat(path)]));
      const { blocks, bavail, bsize, files, ffree } = found;
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize, freeFiles: freeFilesOf(files, ffree), device: String(dev) };
    },
    uid: process.getuid?.() ?? null,
    hold,
    pinned: async () => system,
    release: () => undefined,
    close: async () => undefined,
  };
  return system;
}
