/**
 * The other side of SFTP, for a process that became an account: it answers by a FileSystem of its own. Only the portal speaks to it; each packet
 * is read as strictly as on the other side, and what fails answers the kernel's word as its message.
 */
import type { Duplex } from 'node:stream';
import { FileFault } from '../file-fault.ts';
import type { FileEntry, HeldFolder, OpenFile, OpenHow, PinnedFileSystem } from '../file-system.ts';
import { limits } from '../limits.ts';
import { extensionsOfOurs } from './extensions.ts';
import {
  attributesOf,
  badPacket,
  createPacketReader,
  head,
  lengthened,
  openFlags,
  statuses,
  types,
  u32,
  u64,
  u8,
  worded,
  type Fields,
} from './packets.ts';

type Handle =
  | { readonly kind: 'file'; readonly file: OpenFile }
  | { readonly kind: 'folder'; readonly entries: AsyncIterator<readonly FileEntry[]> }
  | { readonly kind: 'held'; readonly held: HeldFolder };

type Answer = { readonly type: number; readonly fields: readonly Buffer[]; readonly data?: readonly Buffer[] };

interface Session {
  readonly fs: PinnedFileSystem;
  readonly handles: Map<string, Handle>;
  next: number;
}

const ok: Answer = { type: types.status, fields: [u32(statuses.ok), worded(''), worded('')] };
const end: Answer = { type: types.status, fields: [u32(statuses.eof), worded(''), worded('')] };
const extensions = [
  'posix-rename@openssh.com',
  'hardlink@openssh.com',
  'fsync@openssh.com',
  'statvfs@openssh.com',
  'limits@openssh.com',
  ...Object.values(extensionsOfOurs),
];

/** Throws for a packet that is none; the process ends then. */
export function serveSftp(line: Duplex, fs: PinnedFileSystem, onBroken: (error: unknown) => void): void {
  const session: Session = { fs, handles: new Map(), next: 0 };
  let isGreeted = false;
  const say = (id: number, { type, fields, data = [] }: Answer): void => {
    const bytes = data.reduce((sum, piece) => sum + piece.length, 0);
    line.cork();
    line.write(head(type, id, type === types.data ? [u32(bytes)] : fields, bytes));
    for (const piece of data) line.write(piece);
    line.uncork();
  };
  const reader = createPacketReader((type, fields) => {
    if (!isGreeted) {
      if (type !== types.init || fields.u32() < 3) throw badPacket('no init');
      isGreeted = true;
      const body = Buffer.concat([
        u8(types.version),
        u32(3),
        ...extensions.flatMap((name) => [worded(name), worded(name === extensionsOfOurs.hold ? String(fs.uid ?? '') : '1')]),
      ]);
      line.write(Buffer.concat([u32(body.length), body]));
      return;
    }
    const id = fields.u32();
    const answer = act(session, type, fields);
    answer.then(
      (done) => say(id, done),
      (error: unknown) => {
        if (!(error instanceof FileFault)) return onBroken(error);
        say(id, { type: types.status, fields: [u32(statuses.failure), worded(error.errno), worded('')] });
      },
    );
  }, null);
  line.on('data', (chunk: Buffer) => {
    try {
      reader.take(chunk);
    } catch (error) {
      onBroken(error);
    }
  });
}

async function act(session: Session, type: number, fields: Fields): Promise<Answer> {
  const { fs } = session;
  switch (type) {
    case types.open:
      return await open(session, fields);
    case types.opendir:
      return await opendir(session, Buffer.from(fields.bytes()));
    case types.readdir:
      return await readdir(handleOf(session, fields, 'folder'));
    case types.close:
      return await close(session, fields);
    case types.read:
      return await read(handleOf(session, fields, 'file').file, fields);
    case types.write: {
      const { file } = handleOf(session, fields, 'file');
      await file.write(fields.u64(), [fields.bytes()]);
      return ok;
    }
    case types.fstat:
      return attributes(await handleOf(session, fields, 'file').file.facts());
    case types.fsetstat:
      await changeOpen(handleOf(session, fields, 'file').file, fields);
      return ok;
    case types.stat:
      return attributes(await fs.stat(pathIn(fields)));
    case types.lstat:
      return attributes(await fs.lstat(pathIn(fields)));
    case types.realpath:
      return named(await fs.realpath(pathIn(fields)));
    case types.readlink:
      return named(await fs.readLink(pathIn(fields)));
    case types.extended:
      return await extended(session, fields.text(), fields);
    default:
      await change(fs, type, fields);
      return ok;
  }
}

async function change(fs: PinnedFileSystem, type: number, fields: Fields): Promise<void> {
  const path = pathIn(fields);
  if (type === types.remove) await fs.removeFile(path);
  else if (type === types.rmdir) await fs.removeFolder(path);
  else if (type === types.mkdir) await fs.makeFolder(path, fields.attributes().mode);
  else if (type === types.symlink) await fs.symlink(path, pathIn(fields));
  else if (type === types.setstat) {
    const present = fields.u32();
    if (present === 4) await fs.setMode(path, fields.u32() & 0o7777);
    else if (present === 8 && fields.u32() >= 0) await fs.setModified(path, fields.u32() * 1_000);
    else throw badPacket('attributes that are not set here');
  } else throw badPacket(`type ${type}`);
}

async function changeOpen(file: OpenFile, fields: Fields): Promise<void> {
  const present = fields.u32();
  if (present === 4) await file.setMode(fields.u32() & 0o7777);
  else if (present === 8 && fields.u32() >= 0) await file.setModified(fields.u32() * 1_000);
  else throw badPacket('attributes that are not set here');
}

function timeIn(fields: Fields): number {
  const seconds = fields.text();
  if (!/^-?\d{1,13}$/.test(seconds)) throw badPacket('a time that is none');
  return Number(seconds) * 1_000;
}

async function extended(session: Session, name: string, fields: Fields): Promise<Answer> {
  const { fs } = session;
  if (name === 'limits@openssh.com') {
    const values = [limits.sftpPacketBytesMax, limits.filePieceBytesMax, limits.filePieceBytesMax, limits.serverHandlesMax];
    return { type: types.extendedReply, fields: values.map(u64) };
  }
  if (name === 'statvfs@openssh.com') {
    const { totalBytes, freeBytes, freeFiles, device } = await fs.space(pathIn(fields));
    // How many there are in all is not kept: none would mean that nobody counts.
    const values = [
      1,
      1,
      totalBytes,
      freeBytes,
      freeBytes,
      Math.max(1, freeFiles),
      freeFiles,
      freeFiles,
      Number(device),
      0,
      limits.filePieceBytesMax,
    ];
    return { type: types.extendedReply, fields: values.map(u64) };
  }
  if (name === extensionsOfOurs.hold) return await hold(session, pathIn(fields), fields.u8() === 1 ? 'follow' : 'refuse');
  if (name === 'fsync@openssh.com') await handleOf(session, fields, 'file').file.sync();
  else if (name === extensionsOfOurs.time) await fs.setModified(pathIn(fields), timeIn(fields));
  else if (name === extensionsOfOurs.openTime) await handleOf(session, fields, 'file').file.setModified(timeIn(fields));
  else if (name === extensionsOfOurs.attributes) {
    const [from, to, what] = [pathIn(fields), pathIn(fields), fields.text()];
    if (what !== 'file' && what !== 'tree' && what !== 'holes') throw badPacket('attributes of no kind');
    if (!(await fs.keepAttributes(from, to, what))) throw new FileFault('EFAIL');
  } else if (name === extensionsOfOurs.folderSync) await fs.syncFolder(pathIn(fields));
  else if (name === 'posix-rename@openssh.com') await fs.rename(pathIn(fields), pathIn(fields));
  else if (name === 'hardlink@openssh.com') await fs.link(pathIn(fields), pathIn(fields));
  else throw badPacket(`the extension ${name}`);
  return ok;
}

/** Answers outlive the packet that they answer. */
const pathIn = (fields: Fields): Buffer => Buffer.from(fields.bytes());
const attributes = (facts: Parameters<typeof attributesOf>[0]): Answer => ({ type: types.attrs, fields: [attributesOf(facts, false)] });
const named = (path: Buffer): Answer => ({ type: types.name, fields: [u32(1), lengthened(path), lengthened(path), u32(0)] });

function handleOf<Kind extends Handle['kind']>({ handles }: Session, fields: Fields, kind: Kind): Extract<Handle, { readonly kind: Kind }> {
  const found = handles.get(fields.text());
  if (found?.kind !== kind) throw new FileFault('EBADF');
  return found as Extract<Handle, { readonly kind: Kind }>;
}

function keep(session: Session, handle: Handle): Answer {
  session.next += 1;
  const name = String(session.next);
  session.handles.set(name, handle);
  return { type: types.handle, fields: [worded(name)] };
}

async function open(session: Session, fields: Fields): Promise<Answer> {
  if (session.handles.size >= limits.serverHandlesMax) throw new FileFault('EMFILE');
  const [path, flags, present] = [pathIn(fields), fields.u32(), fields.u32()];
  const mode = present === 4 ? fields.u32() & 0o7777 : 0o600;
  const isItself = (flags & openFlags.itself) !== 0;
  const plain = flags & ~openFlags.itself;
  const kind = plain === openFlags.read ? 'read' : plain === openFlags.write ? 'write' : 'create';
  const how: OpenHow = isItself && kind !== 'create' ? `${kind}-itself` : kind;
  return keep(session, { kind: 'file', file: await session.fs.open(path, how, mode) });
}

async function opendir(session: Session, path: Buffer): Promise<Answer> {
  if (session.handles.size >= limits.serverHandlesMax) throw new FileFault('EMFILE');
  if ((await session.fs.stat(path)).kind !== 'folder') throw new FileFault('ENOTDIR');
  const entries = session.fs.list(path)[Symbol.asyncIterator]();
  return keep(session, { kind: 'folder', entries });
}

async function hold(session: Session, path: Buffer, link: 'follow' | 'refuse'): Promise<Answer> {
  if (session.handles.size >= limits.serverHandlesMax) throw new FileFault('EMFILE');
  const held = await session.fs.hold(path, link);
  return { type: types.extendedReply, fields: [...keep(session, { kind: 'held', held }).fields, lengthened(held.path)] };
}

async function readdir({ entries }: Extract<Handle, { readonly kind: 'folder' }>): Promise<Answer> {
  const next = await entries.next();
  if (next.done === true) return end;
  const names = next.value.flatMap(({ name, ...facts }) => [lengthened(name), worded(''), attributesOf(facts, true)]);
  return { type: types.name, fields: [u32(next.value.length), ...names] };
}

async function close(session: Session, fields: Fields): Promise<Answer> {
  const name = fields.text();
  const handle = session.handles.get(name);
  session.handles.delete(name);
  if (handle?.kind === 'file') await handle.file.close();
  else if (handle?.kind === 'held') await handle.held.close();
  else await handle?.entries.return?.();
  return ok;
}

async function read(file: OpenFile, fields: Fields): Promise<Answer> {
  const data = await file.read(fields.u64(), Math.min(fields.u32(), limits.filePieceBytesMax));
  return data.length === 0 ? end : { type: types.data, fields: [], data };
}
