/**
 * The trash of the freedesktop specification (version 1.0): a note of where something was comes first, then the thing itself; when it goes for
 * good the note goes last. So nothing is ever lost between two steps.
 */
import { randomBytes } from 'node:crypto';
import { SvcError } from '../../schema/errors.ts';
import type { Conflict } from '../../schema/files.ts';
import { pathText, shownName } from '../../schema/wire/file-path.ts';
import type { TrashAnswer, TrashItem } from '../../schema/wire/files.ts';
import { faultPoint } from '../faults.ts';
import { FileFault, isFault, isMissing } from './file-fault.ts';
import { isWithin, joined, nameOf, parentOf, type FileSystem, type PinnedFileSystem } from './file-system.ts';
import { whilePinned, whilePlaced, type Place } from './holding.ts';
import { wireKinds } from './items.ts';
import { limits } from './limits.ts';
import { movePlaced } from './moving.ts';
import { cutName, present } from './placing.ts';
import { homeTrashOf, makeFolders, named, trashFor, trashOf, whileOpen, type OpenTrash, type TrashFolder } from './trash-folders.ts';
import { noteOf, noteText } from './trash-notes.ts';
import { removeAt, toldAt, type Progress } from './trees.ts';

export interface Trash {
  /** Answers its id there. */
  put(path: Buffer, progress: Progress): Promise<Buffer>;
  list(from: number, limit: number): Promise<TrashAnswer>;
  /** Answers where it is; null: left out. */
  restore(id: Buffer, to: Buffer | null, conflict: Conflict, progress: Progress): Promise<Buffer | null>;
  remove(id: Buffer, progress: Progress): Promise<void>;
  ids(): Promise<readonly Buffer[]>;
}

const infoEnding = Buffer.from('.trashinfo');
const infoName = (id: Buffer): Buffer => Buffer.concat([nameOf(id), infoEnding]);

export function createTrash(fs: FileSystem, home: Buffer): Trash {
  const homeTrash: TrashFolder = { path: homeTrashOf(home), top: null };
  /** Trash folders of other file systems, as they were met. */
  const others = new Map<string, TrashFolder>();
  const folders = (): readonly TrashFolder[] => [homeTrash, ...others.values()];
  const things = sharedReading(() => thingsIn(fs, folders()));
  /** With the trash that it is in. */
  const at = async <Result>(
    id: Buffer,
    work: (pinned: PinnedFileSystem, open: OpenTrash, thing: Place) => Promise<Result>,
  ): Promise<Result> =>
    await whilePinned(fs, (pinned) =>
      whileOpen(pinned, trashOf(id, home), home, (open) => work(pinned, open, { folder: open.files, name: nameOf(id), shown: id })),
    );
  return {
    put: async (path, progress) => {
      if (folders().some((folder) => isWithin(path, folder.path) || isWithin(folder.path, path))) throw new FileFault('ETRASH');
      // It has to be there before there is a note of it.
      await fs.lstat(path);
      const trash = await trashFor(fs, home, path);
      if (trash.top !== null) others.set(trash.path.toString('hex'), trash);
      return await whilePinned(fs, (pinned) =>
        whilePlaced(pinned, path, (source) =>
          whileOpen(pinned, trash.path, home, (open) => put(pinned, { trash, open, source }, progress)),
        ),
      );
    },
    ids: async () => (await things()).map(({ id }) => id),
    list: async (from, limit) => {
      // Its note is as old as its way there: only those of the page are read.
      const all = (await things()).toSorted((left, right) => right.notedMs - left.notedMs || Buffer.compare(left.id, right.id));
      const items: TrashItem[] = [];
      const page = all.slice(from, from + limit);
      for (let n = 0; n < page.length; n += 32) items.push(...(await Promise.all(page.slice(n, n + 32).map(({ id }) => itemOf(fs, id)))));
      return { total: all.length, desde: from, itens: items };
    },
    restore: (id, to, conflict, progress) =>
      at(id, async (pinned, { info }, source) => {
        const note = joined(info, infoName(id));
        const { from } = await noteOf(pinned, id, note);
        const target = to === null ? from : joined(to, nameOf(from ?? id));
        if (target === null) throw new SvcError('CONFLICT', 'its note does not say where it was: choose a folder');
        await makeFolders(fs, parentOf(target));
        const placed = await whilePlaced(pinned, target, (place) => movePlaced(pinned, source, place, { conflict, progress }));
        faultPoint('files/restored');
        if (placed !== null) await pinned.removeFile(note).catch(unlessMissing);
        return placed;
      }),
    remove: (id, progress) =>
      at(id, async (pinned, { info }, thing) => {
        await toldAt(id, () => removeAt(pinned, thing, progress));
        await pinned.removeFile(joined(info, infoName(id))).catch(unlessMissing);
      }),
  };
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

/** Callers share a reading that began after they asked: pages of one trash that are asked for at once read it twice at most. */
function sharedReading<Found>(read: () => Promise<Found>): () => Promise<Found> {
  let current: Promise<Found> | null = null;
  let next: Promise<Found> | null = null;
  const begin = (): Promise<Found> => {
    const own: Promise<Found> = read().finally(() => {
      if (current === own) current = null;
    });
    return (current = own);
  };
  return async () => {
    if (current === null) return await begin();
    const over = current.catch(() => undefined);
    next ??= over.then(() => {
      next = null;
      return begin();
    });
    return await next;
  };
}

interface Thing {
  readonly id: Buffer;
  /** 0: without a note. */
  readonly notedMs: number;
}

/** As many as are held at once. */
async function thingsIn(fs: FileSystem, folders: readonly TrashFolder[]): Promise<readonly Thing[]> {
  const found: Thing[] = [];
  for (const { path } of folders) {
    const [files, notes] = [named(path, 'files'), new Map<string, number>()];
    await namesIn(fs, named(path, 'info'), (name, modifiedMs) => notes.set(name.toString('latin1'), modifiedMs));
    await namesIn(fs, files, (name) => {
      if (found.length < limits.trashEntriesMax)
        found.push({ id: joined(files, name), notedMs: notes.get(infoName(name).toString('latin1')) ?? 0 });
    });
  }
  return found;
}

async function namesIn(fs: FileSystem, folder: Buffer, take: (name: Buffer, modifiedMs: number) => void): Promise<void> {
  let [count, bytes] = [0, 0];
  try {
    for await (const entries of fs.list(folder)) {
      for (const { name, modifiedMs } of entries) {
        take(name, modifiedMs);
        bytes += name.length;
      }
      count += entries.length;
      if (count > limits.trashEntriesMax || bytes > limits.listingNameBytesMax) return;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

interface Putting {
  readonly trash: TrashFolder;
  readonly open: OpenTrash;
  readonly source: Place;
}

async function put(fs: PinnedFileSystem, { trash, open, source }: Putting, progress: Progress): Promise<Buffer> {
  const note = noteText(source.shown, trash.top);
  for (let n = 1; n <= limits.freeNamesMax; n += 1) {
    const name = freeName(source.name, n);
    const info = joined(open.info, Buffer.concat([name, infoEnding]));
    const made = await fs.open(info, 'create', 0o600).catch((error: unknown) => {
      if (isFault(error, 'EEXIST')) return null;
      throw error;
    });
    if (made === null) continue;
    const id = joined(named(trash.path, 'files'), name);
    try {
      try {
        await made.write(0, [note]);
        await made.sync();
      } finally {
        await made.close();
      }
      faultPoint('files/trash-noted');
      await movePlaced(fs, source, { folder: open.files, name, shown: id }, { conflict: 'recusar', progress });
      faultPoint('files/trashed');
      return id;
    } catch (error) {
      // A thing without a note has this name already.
      const isTaken = isFault(error, 'EEXIST');
      // The note stays when the thing may be here: after a break it can be at both places, or nobody can say.
      const there = isTaken ? null : await present(fs, joined(open.files, name)).catch(() => 'unknown' as const);
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

/** For a page: nothing is changed by it. */
async function itemOf(fs: FileSystem, id: Buffer): Promise<TrashItem> {
  const info = joined(named(parentOf(parentOf(id)), 'info'), infoName(id));
  const [facts, note] = await Promise.all([present(fs, id), noteOf(fs, id, info)]);
  return {
    id: pathText(id),
    nome: shownName(nameOf(note.from ?? id)),
    origem: note.from === null ? '' : pathText(note.from),
    apagadoMs: note.atMs,
    tipo: wireKinds[facts?.kind ?? 'other'],
    bytes: facts?.bytes ?? 0,
  };
}
