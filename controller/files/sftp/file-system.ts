/** Files over SFTP: one line per account, opened when it is needed, closed when nobody asks for a while, opened anew after a break. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../schema/clock.ts';
import { FileFault, isFault } from '../file-fault.ts';
import {
  freeFilesOf,
  parentOf,
  type FileEntry,
  type FileFacts,
  type FileSystem,
  type PinnedFileSystem,
  type Space,
} from '../file-system.ts';
import type { KeptAttributes } from '../file-system.ts';
import type { PlaceThere } from '../kept-attributes.ts';
import { attributesIn, handleIn, modifiedField, more, nameIn, packetIn, pathField } from './answers.ts';
import type { Reply, SftpClient, WhyNoSftp } from './client.ts';
import { extensionsOfOurs } from './extensions.ts';
import { holdOver, placeOf } from './held.ts';
import { createLines, pinnedTo, type Lines } from './lines.ts';
import { openFile } from './open-file.ts';
import { readNames } from './names.ts';
import { types, u32, worded, type Fields } from './packets.ts';

export interface SftpOptions {
  readonly open: () => Promise<Duplex>;
  readonly clock: Clock;
  /** For a server that says "failure" where a quota is used up: ENOSPC, EDQUOT, or null for neither. */
  readonly whyNoRoom?: (folder: Buffer) => Promise<string | null>;
  readonly whyNoSftp?: WhyNoSftp;
  /** For a server whose SFTP knows nothing of them. */
  readonly keepAttributes?: (from: PlaceThere, to: PlaceThere, what: KeptAttributes) => Promise<boolean>;
}

/** True where the server kept them; false where it can't. */
async function keptByExtension(asked: Promise<unknown>): Promise<boolean> {
  return await asked.then(
    () => true,
    (error: unknown) => {
      if (isFault(error)) return false;
      throw error;
    },
  );
}

export function createSftpFileSystem(options: SftpOptions): FileSystem {
  const { open, clock, whyNoSftp = async () => null } = options;
  const lines = createLines(open, clock, whyNoSftp);
  const pinned = async (): Promise<PinnedFileSystem> => {
    const line = await lines.get();
    const one = pinnedTo(lines, line);
    const uid = line.extensions.get(extensionsOfOurs.hold);
    const system: PinnedFileSystem = {
      ...systemOn(one, options),
      uid: uid === undefined ? null : Number(uid),
      pinned: async () => system,
      hold: (path, link) => holdOver(line, path, link),
      release: one.release,
      // The line is that of others, too.
      close: async () => undefined,
    };
    return system;
  };
  return { ...systemOn(lines, options), pinned };
}

function systemOn(
  lines: Lines,
  { whyNoRoom = async () => null, keepAttributes = async () => false }: SftpOptions,
): Omit<FileSystem, 'pinned'> {
  const { ask, extended } = lines;
  const { facts, space, exists, full, whyNotRenamed } = createQuestions(lines, whyNoRoom);
  return {
    pieceBytes: lines.pieceBytes,
    list: (folder) => list(lines, folder),
    stat: (path) => facts(types.stat, path),
    lstat: (path) => facts(types.lstat, path),
    realpath: async (path) => {
      // OpenSSH also answers for a last name that does not exist.
      const found = nameIn(await ask(types.realpath, [pathField(path)]));
      await facts(types.stat, found);
      return found;
    },
    readLink: async (path) => nameIn(await ask(types.readlink, [pathField(path)])),
    open: (path, how, mode) => openFile(lines, full, { path, how, mode }),
    makeFolder: async (path, mode) => {
      await more(ask(types.mkdir, [pathField(path), u32(4), u32(mode)]), async () => ((await exists(path)) ? 'EEXIST' : full(path)));
    },
    removeFolder: async (path) => {
      await more(ask(types.rmdir, [pathField(path)]), async () =>
        (await facts(types.lstat, path)).kind === 'folder' ? 'ENOTEMPTY' : 'ENOTDIR',
      );
    },
    removeFile: async (path) => {
      await more(ask(types.remove, [pathField(path)]), async () => ((await facts(types.lstat, path)).kind === 'folder' ? 'EISDIR' : null));
    },
    rename: async (from, to) => {
      await more(extended('posix-rename@openssh.com', [pathField(from), pathField(to)]), () => whyNotRenamed(from, to));
    },
    link: async (from, to) => {
      await more(extended('hardlink@openssh.com', [pathField(from), pathField(to)]), async () => ((await exists(to)) ? 'EEXIST' : 'EPERM'));
    },
    // OpenSSH has the two the other way round than the draft says.
    symlink: async (target, path) => {
      await more(ask(types.symlink, [pathField(target), pathField(path)]), async () => ((await exists(path)) ? 'EEXIST' : full(path)));
    },
    setMode: async (path, mode) => {
      await more(ask(types.setstat, [pathField(path), u32(4), u32(mode)]), () => full(path));
    },
    setModified: async (path, ms) => {
      const { second, seconds, isWhole } = modifiedField(ms);
      if (!isWhole && (await lines.get()).extensions.has(extensionsOfOurs.time)) {
        await extended(extensionsOfOurs.time, [pathField(path), worded(String(second))]);
        return;
      }
      await more(ask(types.setstat, [pathField(path), u32(8), seconds, seconds]), () => full(path));
    },
    keepAttributes: async (from, to, what) => {
      const line = await lines.get();
      if (line.extensions.has(extensionsOfOurs.attributes))
        return await keptByExtension(line.extended(extensionsOfOurs.attributes, [pathField(from), pathField(to), worded(what)]));
      const [source, target] = await Promise.all([placeOf(line, from), placeOf(line, to)]);
      return source !== null && target !== null && (await keepAttributes(source, target, what));
    },
    syncFolder: async (path) => {
      if ((await lines.get()).extensions.has(extensionsOfOurs.folderSync)) await extended(extensionsOfOurs.folderSync, [pathField(path)]);
    },
    space,
    close: async () => lines.close(),
  };
}

interface Questions {
  readonly facts: (type: number, path: Buffer) => Promise<FileFacts>;
  readonly space: (path: Buffer) => Promise<Space>;
  readonly exists: (path: Buffer) => Promise<boolean>;
  /** Whether a new name there has no room: ENOSPC, EDQUOT, or null. */
  readonly full: (path: Buffer) => Promise<string | null>;
  readonly whyNotRenamed: (from: Buffer, to: Buffer) => Promise<string | null>;
}

function createQuestions({ get, ask, extended }: Lines, whyNoRoom: Required<SftpOptions>['whyNoRoom']): Questions {
  const facts: Questions['facts'] = async (type, path) => attributesIn(await ask(type, [pathField(path)]));
  const space: Questions['space'] = async (path) =>
    spaceIn(packetIn(await extended('statvfs@openssh.com', [pathField(path)]), types.extendedReply));
  const full: Questions['full'] = async (path) => {
    if (isFull(await space(parentOf(path)))) return 'ENOSPC';
    const place = await placeOf(await get(), path);
    return place === null ? null : await whyNoRoom(place.folder);
  };
  return {
    facts,
    space,
    full,
    exists: (path) =>
      facts(types.lstat, path).then(
        () => true,
        () => false,
      ),
    whyNotRenamed: async (from, to) => {
      if ((await space(parentOf(from))).device !== (await space(parentOf(to))).device) return 'EXDEV';
      const there = await facts(types.lstat, to).catch(() => null);
      const isFolder = (await facts(types.lstat, from)).kind === 'folder';
      if (there?.kind === 'folder') return isFolder ? 'ENOTEMPTY' : 'EISDIR';
      return there !== null && isFolder ? 'ENOTDIR' : await full(to);
    },
  };
}

const isFull = ({ freeBytes, freeFiles, totalBytes }: Space): boolean => totalBytes > 0 && (freeBytes < 1_024 * 1_024 || freeFiles === 0);

function spaceIn(fields: Fields): Space {
  const [, fragment = 0, blocks = 0, , available = 0, files = 0, , free = 0] = Array.from({ length: 8 }, () => fields.u64());
  return { totalBytes: fragment * blocks, freeBytes: fragment * available, freeFiles: freeFilesOf(files, free), device: fields.u64Text() };
}

async function* list(lines: Lines, folder: Buffer): AsyncGenerator<readonly FileEntry[]> {
  const line = await lines.get();
  const release = lines.hold();
  try {
    const handle = handleIn(await opendir(line, folder));
    try {
      yield* readNames(line, handle);
    } finally {
      line.ask(types.close, [handle]).catch(() => undefined);
    }
  } finally {
    release();
  }
}

async function opendir(line: SftpClient, folder: Buffer): Promise<Reply> {
  try {
    return await line.ask(types.opendir, [pathField(folder)]);
  } catch (error) {
    return await folderFault(line, folder, error);
  }
}

/** OpenSSH says "no such file" to a file that is no folder, and "failure" when it has no handle left. */
async function folderFault(line: SftpClient, folder: Buffer, error: unknown): Promise<never> {
  const found = isFault(error, 'EFAIL', 'ENOENT') ? await line.ask(types.stat, [pathField(folder)]).catch(() => null) : null;
  throw found !== null && attributesIn(found).kind !== 'folder' ? new FileFault('ENOTDIR', { cause: error }) : error;
}
