/** Files as the account of this very process: that of the portal, or the one that a process became (account-files-main.ts). */
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { BigIntStats, Stats } from 'node:fs';
import { FileFault } from './file-fault.ts';
import { joined, type FileEntry, type FileFacts, type FileSystem, type OpenFile } from './file-system.ts';
import { limits } from './limits.ts';

export function factsOf(stats: Stats | BigIntStats): FileFacts {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other';
  return {
    kind,
    bytes: Number(stats.size),
    mode: Number(stats.mode) & 0o7777,
    modifiedMs: Math.floor(Number(stats.mtimeMs)),
    uid: Number(stats.uid),
  };
}

async function told<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? new FileFault(code, { cause: error }) : error;
  }
}

/** Entries looked at in one go. */
const listBatch = 512;
const atOnce = 32;

async function* list(folder: Buffer): AsyncGenerator<readonly FileEntry[]> {
  // The types of Node know no Dir with names as bytes.
  const dir = await told(fs.opendir(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: listBatch }));
  try {
    for (;;) {
      const names: Buffer[] = [];
      while (names.length < listBatch) {
        const entry = await told(dir.read());
        if (entry === null) break;
        names.push(entry.name as unknown as Buffer);
      }
      if (names.length === 0) return;
      yield await looked(folder, names);
    }
  } finally {
    await dir.close().catch(() => undefined);
  }
}

/** What went meanwhile is left out. */
async function looked(folder: Buffer, names: readonly Buffer[]): Promise<readonly FileEntry[]> {
  const found: FileEntry[] = [];
  for (let at = 0; at < names.length; at += atOnce) {
    const some = names.slice(at, at + atOnce).map(async (name) => {
      const facts = await fs.lstat(joined(folder, name)).then(factsOf, () => null);
      if (facts !== null) found.push({ name, ...facts });
    });
    await Promise.all(some);
  }
  return found;
}

/** O_NONBLOCK: a pipe without a writer is no reason to wait; what is no plain file is refused right after. */
const flags = {
  read: constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
  write: constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
} as const;

async function open(path: Buffer, how: keyof typeof flags, mode = 0o600): Promise<OpenFile> {
  const handle = await told(fs.open(path, flags[how], mode));
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
    close: () => told(handle.close()),
  };
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

export function createNodeFileSystem(): FileSystem {
  return {
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
    setModified: (path, ms) => told(fs.utimes(path, ms / 1_000, ms / 1_000)),
    syncFolder: async (path) => {
      const handle = await told(fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY));
      // Some file systems can't, and need not.
      await handle.sync().catch(() => undefined);
      await handle.close();
    },
    space: async (path) => {
      const [found, { dev }] = await told(Promise.all([fs.statfs(path), fs.stat(path)]));
      const { blocks, bavail, bsize, ffree } = found;
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize, freeFiles: ffree, device: String(dev) };
    },
    close: async () => undefined,
  };
}
