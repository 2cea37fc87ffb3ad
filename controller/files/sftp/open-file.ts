/** A file that is open over SFTP. */
import { FileFault, isFault } from '../file-fault.ts';
import type { FileFacts, OpenFile, OpenHow } from '../file-system.ts';
import { attributesIn, handleIn, modifiedField, more, pathField } from './answers.ts';
import type { SftpClient } from './client.ts';
import { extensionsOfOurs } from './extensions.ts';
import { refuseExchanged } from './held.ts';
import type { Lines } from './lines.ts';
import { badPacket, noAttributes, openFlags, types, u32, u64, worded } from './packets.ts';

const flags: Readonly<Record<OpenHow, number>> = {
  read: openFlags.read,
  'read-itself': openFlags.read,
  write: openFlags.write,
  'write-itself': openFlags.write,
  create: openFlags.write | openFlags.create | openFlags.exclusive,
};

export interface Opening {
  readonly path: Buffer;
  readonly how: OpenHow;
  readonly mode: number | undefined;
}

type Full = (path: Buffer) => Promise<string | null>;

export async function openFile(lines: Lines, full: Full, { path, how, mode = 0o600 }: Opening): Promise<OpenFile> {
  const line = await lines.get();
  const facts = async (at: Buffer): Promise<FileFacts> => attributesIn(await line.ask(types.fstat, [at]));
  const isItself = how.endsWith('-itself');
  const isOurs = line.extensions.has(extensionsOfOurs.hold);
  // OpenSSH's server would wait for who opens the other end of a pipe.
  if (how !== 'create' && !(isItself && isOurs)) {
    const there = attributesIn(await line.ask(isItself ? types.lstat : types.stat, [pathField(path)]));
    if (there.kind === 'link') throw new FileFault('EXCHANGED');
    refuseOther(there);
  }
  const attributes = how === 'create' ? Buffer.concat([u32(4), u32(mode)]) : noAttributes;
  const asked = line.ask(types.open, [pathField(path), u32((flags[how] | (isItself && isOurs ? openFlags.itself : 0)) >>> 0), attributes]);
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
    if (isItself && !isOurs) await refuseExchanged(line, handle, path);
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
      // Over NFS this is where a full quota is reported.
      await more(line.extended('fsync@openssh.com', [handle]), () => full(path));
    },
    setMode: async (bits) => {
      await more(line.ask(types.fsetstat, [handle, u32(4), u32(bits)]), () => full(path));
    },
    setModified: async (ms) => {
      const { second, seconds, isWhole } = modifiedField(ms);
      if (!isWhole && line.extensions.has(extensionsOfOurs.openTime))
        await line.extended(extensionsOfOurs.openTime, [handle, worded(String(second))]);
      else await more(line.ask(types.fsetstat, [handle, u32(8), seconds, seconds]), () => full(path));
    },
    close,
  };
}

/** Errors of a read that need no further explanation. */
const ownWords = ['EACCES', 'EPERM', 'EISDIR', 'EBADF', 'ESTALE'];

async function whyNotOpened(line: SftpClient, full: Full, path: Buffer, how: OpenHow): Promise<string | null> {
  if (how !== 'create') return null;
  return (await line.ask(types.lstat, [pathField(path)]).catch(() => null)) === null ? await full(path) : 'EEXIST';
}

function refuseOther({ kind }: FileFacts): void {
  if (kind !== 'file') throw new FileFault(kind === 'folder' ? 'EISDIR' : 'EKIND');
}
