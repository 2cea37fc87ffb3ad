/** Files over SFTP: one line per account, opened when it is needed, closed when nobody asks for a while, opened anew after a break. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { FileFault, isFault } from '../file-fault.ts';
import { freeFilesOf, parentOf, type FileEntry, type FileFacts, type FileSystem, type OpenFile, type Space } from '../file-system.ts';
import { limits } from '../limits.ts';
import { openSftp, type Reply, type SftpClient, type WhyNoSftp } from './client.ts';
import { badPacket, lengthened, noAttributes, openFlags, types, u32, u64, worded, type Fields } from './packets.ts';

export interface SftpOptions {
  readonly open: () => Promise<Duplex>;
  readonly clock: Clock;
  /** For a server that says "failure" where a quota is used up: ENOSPC, EDQUOT, or null for neither. */
  readonly whyNoRoom?: (folder: Buffer) => Promise<string | null>;
  readonly whyNoSftp?: WhyNoSftp;
  /** For a server whose SFTP knows nothing of them. */
  readonly keepAttributes?: FileSystem['keepAttributes'];
}

/** Names of extensions without which a change could lose a file. */
const needed = ['posix-rename@openssh.com', 'hardlink@openssh.com', 'fsync@openssh.com', 'statvfs@openssh.com'] as const;
export const folderSync = 'fsync-folder@svc';
export const attributesKept = 'attributes@svc';
/** For seconds that are no u32. */
export const timeSet = 'time@svc';

/** A path as a server reads it. OpenSSH ends it at a NUL byte and would answer for the folder that the name is in. */
function pathField(path: Buffer): Buffer {
  if (path.includes(0)) throw new FileFault('EINVAL');
  return lengthened(path);
}

/** A time as the protocol carries it: whole seconds of 32 bits. `isWhole`: false where they can't hold it. */
function modifiedField(ms: number): { readonly second: number; readonly seconds: Buffer; readonly isWhole: boolean } {
  const second = Math.floor(ms / 1_000);
  const seconds = u32(Math.max(0, Math.min(0xffffffff, second)));
  return { second, seconds, isWhole: seconds.readUInt32BE() === second };
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

export function createSftpFileSystem({
  open: openLine,
  clock,
  whyNoRoom = async () => null,
  whyNoSftp = async () => null,
  keepAttributes = async () => false,
}: SftpOptions): FileSystem {
  const lines = createLines(openLine, clock, whyNoSftp);
  const { ask, extended } = lines;
  const { facts, space, exists, full, whyNotRenamed } = createQuestions(lines, whyNoRoom);
  const pathIn = async (type: number, path: Buffer): Promise<Buffer> => {
    const fields = packetIn(await ask(type, [pathField(path)]), types.name);
    if (fields.u32() !== 1) throw badPacket('more or fewer than one name');
    return Buffer.from(fields.bytes());
  };
  return {
    pieceBytes: lines.pieceBytes,
    list: (folder) => list(lines, folder),
    stat: (path) => facts(types.stat, path),
    lstat: (path) => facts(types.lstat, path),
    realpath: async (path) => {
      // OpenSSH also answers for a last name that does not exist.
      const found = await pathIn(types.realpath, path);
      await facts(types.stat, found);
      return found;
    },
    readLink: (path) => pathIn(types.readlink, path),
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
      if (!isWhole && (await lines.get()).extensions.has(timeSet)) {
        await extended(timeSet, [pathField(path), worded(String(second))]);
        return;
      }
      await more(ask(types.setstat, [pathField(path), u32(8), seconds, seconds]), () => full(path));
    },
    keepAttributes: async (from, to, what) => {
      if (!(await lines.get()).extensions.has(attributesKept)) return await keepAttributes(from, to, what);
      return await keptByExtension(extended(attributesKept, [pathField(from), pathField(to), worded(what)]));
    },
    syncFolder: async (path) => {
      if ((await lines.get()).extensions.has(folderSync)) await extended(folderSync, [pathField(path)]);
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

function createQuestions({ ask, extended }: Lines, whyNoRoom: Required<SftpOptions>['whyNoRoom']): Questions {
  const facts: Questions['facts'] = async (type, path) => attributesIn(await ask(type, [pathField(path)]));
  const space: Questions['space'] = async (path) =>
    spaceIn(packetIn(await extended('statvfs@openssh.com', [pathField(path)]), types.extendedReply));
  const full: Questions['full'] = async (path) => (isFull(await space(parentOf(path))) ? 'ENOSPC' : await whyNoRoom(parentOf(path)));
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

/** OpenSSH says "failure" to much: `why` looks once more. It changes nothing, and what it can't tell stays "failure". */
async function more<Result>(work: Promise<Result>, why: () => Promise<string | null>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isFault(error, 'EFAIL')) throw error;
    const errno = await why().catch(() => null);
    throw errno === null ? error : new FileFault(errno, { cause: error });
  }
}

function packetIn(reply: Reply, type: number): Fields {
  if (reply.kind !== 'packet' || reply.type !== type) throw badPacket('an answer of another type');
  return reply.fields;
}

const attributesIn = (reply: Reply): FileFacts => packetIn(reply, types.attrs).attributes();

function spaceIn(fields: Fields): Space {
  const [, fragment = 0, blocks = 0, , available = 0, files = 0, , free = 0] = Array.from({ length: 8 }, () => fields.u64());
  return { totalBytes: fragment * blocks, freeBytes: fragment * available, freeFiles: freeFilesOf(files, free), device: fields.u64Text() };
}

interface Lines {
  readonly get: () => Promise<SftpClient>;
  readonly ask: SftpClient['ask'];
  readonly extended: SftpClient['extended'];
  readonly pieceBytes: () => number;
  /** The line stays while something is open on it. */
  readonly hold: () => () => void;
  /** For good. */
  readonly close: () => void;
}

const closedError = (): SvcError => new SvcError('CANCELLED', 'the line for files was closed');

function createLines(openLine: () => Promise<Duplex>, clock: Clock, whyNoSftp: WhyNoSftp): Lines {
  let line: SftpClient | null = null;
  let opening: Promise<SftpClient> | null = null;
  let holders = 0;
  let isClosed = false;
  let pieceBytes: number = limits.filePieceBytesDefault;
  let cancelIdle = (): void => undefined;
  const armIdle = (): void => {
    cancelIdle();
    cancelIdle = clock.at(clock.monotonicMs() + limits.sftpIdleMs, () => {
      if (holders > 0 || (line?.waiting() ?? 0) > 0) return armIdle();
      line?.close();
      line = null;
    });
  };
  const open = async (): Promise<SftpClient> => {
    const made = await openSftp(await openLine(), clock, whyNoSftp);
    const lacking = needed.filter((name) => !made.extensions.has(name));
    if (lacking.length > 0) {
      made.close();
      throw new SvcError('SFTP_OFF', `the server's SFTP lacks ${lacking.join(', ')}: OpenSSH 6.5 and later have them`);
    }
    // It was asked for before the end: left open it would keep this process alive.
    if (isClosed) {
      made.close();
      throw closedError();
    }
    line = made;
    pieceBytes = made.pieceBytes;
    armIdle();
    return made;
  };
  const get = async (): Promise<SftpClient> => {
    if (line?.isUp() === true) return line;
    if (isClosed) throw closedError();
    opening ??= open().finally(() => {
      opening = null;
    });
    return await opening;
  };
  return {
    get,
    ask: async (...request) => await (await get()).ask(...request),
    extended: async (...request) => await (await get()).extended(...request),
    pieceBytes: () => pieceBytes,
    hold: () => {
      holders += 1;
      return () => {
        holders -= 1;
        armIdle();
      };
    },
    close: () => {
      isClosed = true;
      cancelIdle();
      line?.close();
      line = null;
    },
  };
}

/** Questions for names under way: the server answers about a hundred at once. */
const readdirsAhead = 8;

async function* list(lines: Lines, folder: Buffer): AsyncGenerator<readonly FileEntry[]> {
  const line = await lines.get();
  const release = lines.hold();
  try {
    const handle = handleIn(await opendir(line, folder));
    try {
      const ahead: Promise<Reply>[] = [];
      for (;;) {
        while (ahead.length < readdirsAhead) {
          const asked = line.ask(types.readdir, [handle]);
          asked.catch(() => undefined);
          ahead.push(asked);
        }
        const reply = await (ahead.shift() as Promise<Reply>);
        if (reply.kind === 'end') return;
        yield namesIn(reply);
      }
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

function namesIn(reply: Reply): readonly FileEntry[] {
  const fields = packetIn(reply, types.name);
  const count = fields.u32();
  if (count > limits.sftpNamesMax) throw badPacket(`${count} names at once`);
  const found: FileEntry[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = fields.bytes();
    // What `ls -l` would say.
    fields.bytes();
    const facts = fields.attributes();
    const isDots = name[0] === 0x2e && (name.length === 1 || (name.length === 2 && name[1] === 0x2e));
    // A server that says such a name would lead elsewhere.
    if (name.length === 0 || name.includes(0) || name.includes(0x2f)) throw badPacket('a name that no file has');
    if (!isDots) found.push({ name: Buffer.from(name), ...facts });
  }
  return found;
}

function handleIn(reply: Reply): Buffer {
  const handle = packetIn(reply, types.handle).bytes();
  if (handle.length > 256) throw badPacket('a handle of more than 256 bytes');
  return lengthened(handle);
}

const flags = {
  read: openFlags.read,
  write: openFlags.write,
  create: openFlags.write | openFlags.create | openFlags.exclusive,
} as const;

interface Opening {
  readonly path: Buffer;
  readonly how: keyof typeof flags;
  readonly mode: number | undefined;
}

async function openFile(lines: Lines, full: Questions['full'], { path, how, mode = 0o600 }: Opening): Promise<OpenFile> {
  const line = await lines.get();
  const facts = async (at: Buffer): Promise<FileFacts> => attributesIn(await line.ask(types.fstat, [at]));
  // OpenSSH's server would wait for who opens the other end of a pipe.
  if (how !== 'create') refuseOther(attributesIn(await line.ask(types.stat, [pathField(path)])));
  const attributes = how === 'create' ? Buffer.concat([u32(4), u32(mode)]) : noAttributes;
  const asked = line.ask(types.open, [pathField(path), u32(flags[how]), attributes]);
  const handle = handleIn(await more(asked, () => whyNotOpened(line, full, path, how)));
  const release = lines.hold();
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    release();
    await line.ask(types.close, [handle]);
  };
  try {
    refuseOther(await facts(handle));
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return {
    facts: () => facts(handle),
    read: async (at, length) => {
      const reply = await line.ask(types.read, [handle, u64(at), u32(length)]).catch((error: unknown) => {
        // The kernel's own word, or a server that says no more than that it did not work.
        throw isFault(error) && !isFault(error, ...ownWords) ? new FileFault('EREAD', { cause: error }) : error;
      });
      if (reply.kind === 'end') return [];
      if (reply.kind !== 'data') throw badPacket('an answer of another type');
      return reply.pieces;
    },
    write: async (at, pieces) => {
      const asked = line.ask(types.write, [handle, u64(at)], pieces);
      await more(asked, () => full(path));
    },
    sync: async () => {
      // Over NFS this is where a quota is told.
      await more(line.extended('fsync@openssh.com', [handle]), () => full(path));
    },
    close,
  };
}

/** Of a read that say by themselves what is wrong. */
const ownWords = ['EACCES', 'EPERM', 'EISDIR', 'EBADF', 'ESTALE'];

async function whyNotOpened(line: SftpClient, full: Questions['full'], path: Buffer, how: keyof typeof flags): Promise<string | null> {
  if (how !== 'create') return null;
  return (await line.ask(types.lstat, [pathField(path)]).catch(() => null)) === null ? await full(path) : 'EEXIST';
}

function refuseOther({ kind }: FileFacts): void {
  if (kind !== 'file') throw new FileFault(kind === 'folder' ? 'EISDIR' : 'EKIND');
}
