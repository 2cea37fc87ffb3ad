/**
 * The trash of the freedesktop specification (version 1.0): a note of where something was comes first, then the thing itself; when it goes for
 * good the note goes last. So nothing is ever lost between two steps.
 */
import { randomBytes } from 'node:crypto';
import { SvcError } from '../../schema/errors.ts';
import type { Conflict } from '../../schema/files.ts';
import { pathBytes, pathText, shownName } from '../../schema/wire/file-path.ts';
import type { TrashAnswer, TrashItem } from '../../schema/wire/files.ts';
import { faultPoint } from '../faults.ts';
import { FileFault, isFault, isMissing } from './file-fault.ts';
import { isWithin, joined, nameOf, parentOf, type FileSystem } from './file-system.ts';
import { targetOf, wireKinds } from './items.ts';
import { limits } from './limits.ts';
import { moveTo } from './moving.ts';
import { cutName, present } from './placing.ts';
import { readAll } from './transfer.ts';
import { removeTree, type Progress } from './trees.ts';

/** `top`: what the paths of its notes begin at; null: they are absolute. */
interface TrashFolder {
  readonly path: Buffer;
  readonly top: Buffer | null;
}

export interface Trash {
  /** Answers its id there. */
  put(path: Buffer, progress: Progress): Promise<Buffer>;
  list(from: number, limit: number): Promise<TrashAnswer>;
  /** Answers where it is; null: left out. */
  restore(id: Buffer, to: Buffer | null, conflict: Conflict, progress: Progress): Promise<Buffer | null>;
  remove(id: Buffer, progress: Progress): Promise<void>;
  ids(): Promise<readonly Buffer[]>;
}

const named = (folder: Buffer, ...names: readonly string[]): Buffer =>
  names.reduce((path, name) => joined(path, Buffer.from(name)), folder);
const infoEnding = Buffer.from('.trashinfo');

export function createTrash(fs: FileSystem, home: Buffer): Trash {
  const homeTrash: TrashFolder = { path: named(home, '.local', 'share', 'Trash'), top: null };
  /** Of other file systems, as they were met. */
  const others = new Map<string, TrashFolder>();
  const folders = (): readonly TrashFolder[] => [homeTrash, ...others.values()];
  const ids = async (): Promise<readonly Buffer[]> => {
    const found: Buffer[] = [];
    for (const { path } of folders()) {
      try {
        for await (const entries of fs.list(named(path, 'files')))
          found.push(...entries.map(({ name }) => joined(named(path, 'files'), name)));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      if (found.length > limits.trashEntriesMax) break;
    }
    return found;
  };
  return {
    put: async (path, progress) => {
      if (folders().some((folder) => isWithin(path, folder.path) || isWithin(folder.path, path))) throw new FileFault('ETRASH');
      const place = await trashFor(fs, home, homeTrash, path);
      if (place.top !== null) others.set(place.path.toString('hex'), place);
      return await put(fs, place, path, progress);
    },
    ids,
    list: async (from, limit) => {
      const all = await ids();
      const items: TrashItem[] = [];
      for (let at = 0; at < all.length; at += 32) items.push(...(await Promise.all(all.slice(at, at + 32).map((id) => itemOf(fs, id)))));
      items.sort((left, right) => (right.apagadoMs ?? 0) - (left.apagadoMs ?? 0) || (left.id < right.id ? -1 : 1));
      return { total: items.length, desde: from, itens: items.slice(from, from + limit) };
    },
    restore: async (id, to, conflict, progress) => {
      const target = to === null ? (await noteOf(fs, id)).from : joined(to, nameOf((await noteOf(fs, id)).from ?? id));
      if (target === null) throw new SvcError('CONFLICT', 'its note does not say where it was: choose a folder');
      await makeFolders(fs, parentOf(target));
      const placed = await moveTo(fs, id, target, conflict, progress);
      faultPoint('files/restored');
      if (placed !== null) await fs.removeFile(infoOf(id)).catch(unlessMissing);
      return placed;
    },
    remove: async (id, progress) => {
      infoOf(id);
      await removeTree(fs, id, progress);
      await fs.removeFile(infoOf(id)).catch(unlessMissing);
    },
  };
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

/** Throws for a path that is nothing in a trash. */
function infoOf(id: Buffer): Buffer {
  const files = parentOf(id);
  const trash = parentOf(files);
  if (nameOf(files).toString() !== 'files' || !/^(?:Trash|\.Trash-\d+|\d+)$/.test(nameOf(trash).toString('latin1'))) {
    throw new SvcError('BAD_REQUEST', 'itens: expected ids as the trash says them');
  }
  return joined(named(trash, 'info'), Buffer.concat([nameOf(id), infoEnding]));
}

/** The home's, for what is on the same file system; else the one at the top of that, made when it is missing. */
async function trashFor(fs: FileSystem, home: Buffer, homeTrash: TrashFolder, path: Buffer): Promise<TrashFolder> {
  const { device } = await fs.space(parentOf(path));
  if (device !== '' && device !== (await fs.space(home)).device) {
    let top = parentOf(path);
    while (top.length > 1 && (await fs.space(parentOf(top))).device === device) top = parentOf(top);
    const { uid } = await fs.lstat(home);
    const shared = await present(fs, named(top, '.Trash')).catch(() => null);
    // The sticky bit, and no link: what the specification asks for before it is trusted.
    const isShared = shared?.kind === 'folder' && (shared.mode & 0o1000) !== 0;
    for (const place of [...(isShared ? [named(top, '.Trash', String(uid))] : []), named(top, `.Trash-${uid}`)]) {
      const isMade = await makeTrash(fs, place, uid).catch((error: unknown) => {
        if (isFault(error)) return false;
        throw error;
      });
      if (isMade) return { path: place, top };
    }
  }
  await makeFolders(fs, parentOf(homeTrash.path));
  await makeTrash(fs, homeTrash.path, null);
  return homeTrash;
}

/** False: it is a link, or another's. */
async function makeTrash(fs: FileSystem, path: Buffer, uid: number | null): Promise<boolean> {
  await makeFolder(fs, path, 0o700);
  const facts = await fs.lstat(path);
  if (uid !== null && (facts.kind !== 'folder' || facts.uid !== uid)) return false;
  for (const name of ['info', 'files']) await makeFolder(fs, named(path, name), 0o700);
  return true;
}

async function makeFolder(fs: FileSystem, path: Buffer, mode: number): Promise<void> {
  await fs.makeFolder(path, mode).catch((error: unknown) => {
    if (!isFault(error, 'EEXIST')) throw error;
  });
}

async function makeFolders(fs: FileSystem, path: Buffer): Promise<void> {
  if ((await targetOf(fs, path)) !== null) return;
  await makeFolders(fs, parentOf(path));
  await makeFolder(fs, path, 0o755);
}

async function put(fs: FileSystem, { path: trash, top }: TrashFolder, path: Buffer, progress: Progress): Promise<Buffer> {
  // It has to be there before there is a note of it.
  await fs.lstat(path);
  const note = Buffer.from(
    `[Trash Info]\nPath=${encoded(top === null ? path : path.subarray(top.length === 1 ? 1 : top.length + 1))}\nDeletionDate=${localTime()}\n`,
  );
  for (let n = 1; n <= limits.freeNamesMax; n += 1) {
    const name = freeName(nameOf(path), n);
    const info = joined(named(trash, 'info'), Buffer.concat([name, infoEnding]));
    const made = await fs.open(info, 'create', 0o600).catch((error: unknown) => {
      if (isFault(error, 'EEXIST')) return null;
      throw error;
    });
    if (made === null) continue;
    const id = joined(named(trash, 'files'), name);
    try {
      try {
        await made.write(0, [note]);
        await made.sync();
      } finally {
        await made.close();
      }
      faultPoint('files/trash-noted');
      await moveTo(fs, path, id, 'recusar', progress);
      faultPoint('files/trashed');
      return id;
    } catch (error) {
      // A thing without a note has this name already.
      const isTaken = isFault(error, 'EEXIST');
      // The note stays when the thing may be here: after a break it can be at both places, or nobody can say.
      const there = isTaken ? null : await present(fs, id).catch(() => 'unknown' as const);
      if (there === null) await fs.removeFile(info).catch(() => undefined);
      if (!isTaken) throw error;
    }
  }
  throw new FileFault('EEXIST');
}

function freeName(name: Buffer, n: number): Buffer {
  const short = name.length > 200 ? Buffer.concat([cutName(name, 180), Buffer.from(randomBytes(6).toString('hex'))]) : name;
  return n === 1 ? short : Buffer.concat([short, Buffer.from(`.${n}`)]);
}

/** As in a URL: every byte that is not plain (RFC 2396). */
const encoded = (path: Buffer): string =>
  path.toString('latin1').replaceAll(/[^A-Za-z0-9/._~-]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Without a zone, as the specification wants it. */
function localTime(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

async function noteOf(fs: FileSystem, id: Buffer): Promise<{ readonly from: Buffer | null; readonly atMs: number | null }> {
  const none = { from: null, atMs: null };
  const info = await fs.open(infoOf(id), 'read').catch((error: unknown) => {
    if (isFault(error)) return null;
    throw error;
  });
  if (info === null) return none;
  try {
    const text = (await readAll(info, limits.trashInfoBytesMax, fs.pieceBytes())).toString('latin1');
    if (!/^\[Trash Info\]\s*$/m.test(text)) return none;
    const said = /^Path=([^\n]*)/m.exec(text)?.[1] ?? '';
    const at = Date.parse(/^DeletionDate=(\S+)/m.exec(text)?.[1] ?? '');
    const bytes = Buffer.from(
      said.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      'latin1',
    );
    const trash = parentOf(parentOf(id));
    const isHome = nameOf(trash).toString() === 'Trash';
    const top = /^\d+$/.test(nameOf(trash).toString('latin1')) ? parentOf(parentOf(trash)) : parentOf(trash);
    const path = bytes[0] === 0x2f ? bytes : isHome ? null : joined(top, bytes);
    // A note that somebody else wrote may say anything.
    const isPath = path !== null && pathBytes(pathText(path)) !== null;
    return { from: isPath ? path : null, atMs: Number.isNaN(at) ? null : at };
  } catch (error) {
    if (isFault(error)) return none;
    throw error;
  } finally {
    await info.close().catch(() => undefined);
  }
}

async function itemOf(fs: FileSystem, id: Buffer): Promise<TrashItem> {
  const [facts, note] = await Promise.all([present(fs, id), noteOf(fs, id)]);
  return {
    id: pathText(id),
    nome: shownName(nameOf(note.from ?? id)),
    origem: note.from === null ? '' : pathText(note.from),
    apagadoMs: note.atMs,
    tipo: wireKinds[facts?.kind ?? 'other'],
    bytes: facts?.bytes ?? 0,
  };
}
