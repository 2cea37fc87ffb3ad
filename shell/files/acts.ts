/** Acts on files of the person, for all windows of a desktop, and undo of the last one. Source: docs/files.md. */
import type { FileItem, OperationBody } from '../../schema/wire/files.ts';
import { text } from '../i18n/i18n.ts';
import { exactName, joinPath, parentOf } from '../opening/file-path.ts';
import { readFacts, writeContent } from '../session/content-api.ts';
import * as api from '../session/files-api.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { intoFolder, moveBack, upload } from './into-folder.ts';
import { createTasks, operate, type Tasks } from './tasks.ts';
import type { ToUpload } from './uploads.ts';
import { folderChanged } from './watching.ts';

interface Clipboard {
  readonly paths: readonly string[];
  readonly cut: boolean;
}

/** Undoes the last act. */
interface Undo {
  readonly label: string;
  readonly run: () => Promise<void>;
}

export interface FileActs {
  readonly tasks: Tasks;
  readonly clipboard: Signal<Clipboard | null>;
  readonly undoable: Signal<Undo | null>;
  /** Grows whenever the trash is to be listed again. */
  readonly trashChanged: Signal<number>;
  readonly move: (paths: readonly string[], folder: string) => Promise<void>;
  readonly copy: (paths: readonly string[], folder: string) => Promise<void>;
  readonly paste: (folder: string) => Promise<void>;
  readonly trash: (paths: readonly string[]) => Promise<void>;
  readonly restore: (ids: readonly string[]) => Promise<void>;
  /** For good, from the trash; [] empties it. */
  readonly erase: (ids: readonly string[]) => Promise<void>;
  /** For good, past the trash. */
  readonly remove: (paths: readonly string[]) => Promise<void>;
  readonly rename: (item: FileItem, name: string) => Promise<FileItem>;
  readonly newFolder: (folder: string) => Promise<FileItem>;
  readonly newFile: (folder: string) => Promise<FileItem>;
  /** Each beside itself. */
  readonly extract: (paths: readonly string[]) => Promise<void>;
  readonly upload: (files: readonly ToUpload[], folder: string) => Promise<void>;
  /** Waits for what goes on. */
  readonly undo: () => Promise<void>;
}

/** Names that are tried for something new. */
const newNamesMax = 100;

export function createFileActs(announce: (words: string) => void, folderName: Tasks['folderName']): FileActs {
  const tasks = createTasks(announce, folderName);
  const clipboard = createSignal<Clipboard | null>(null);
  const undoable = createSignal<Undo | null>(null);
  const trashChanged = createSignal(0);
  let last: Promise<unknown> = Promise.resolve();
  /** Runs an act; an undo waits until it is over. */
  const acting = async <T>(run: () => Promise<T>): Promise<T> => {
    const mine = run();
    last = Promise.allSettled([last, mine]);
    return await mine;
  };
  const trashing: Trashing = async (label, tipo, itens) => {
    const ended = await operate(tasks, label, { tipo, itens: [...itens] });
    trashChanged.set(trashChanged.get() + 1);
    return ended?.resultados.flatMap(({ para }) => para ?? []) ?? [];
  };
  const toTrash = async (paths: readonly string[]) => await trashing(text('files.trashing', { n: paths.length }), 'lixo', paths);
  const place = async (tipo: 'copiar' | 'mover', paths: readonly string[], folder: string): Promise<void> => {
    const placed = await intoFolder(tasks, tipo, paths, folder);
    if (placed.length === 0) return;
    const copies = placed.map(({ para }) => para);
    undoable.set(
      tipo === 'copiar'
        ? { label: text('files.undoCopy'), run: async () => void (await toTrash(copies)) }
        : { label: text('files.undoMove'), run: async () => await moveBack(tasks, placed) },
    );
  };
  const create = async (folder: string, first: string, ending: string, make: (path: string) => Promise<unknown>): Promise<FileItem> => {
    const path = await freePath(folder, first, ending, make);
    folderChanged(folder);
    undoable.set({ label: text('files.undoNew'), run: async () => void (await toTrash([path])) });
    return await readFacts(path);
  };
  return {
    tasks,
    clipboard,
    undoable,
    trashChanged,
    move: async (paths, folder) => await acting(() => place('mover', paths, folder)),
    copy: async (paths, folder) => await acting(() => place('copiar', paths, folder)),
    paste: async (folder) => {
      const held = clipboard.get();
      if (held === null) return;
      if (held.cut) clipboard.set(null);
      await acting(() => place(held.cut ? 'mover' : 'copiar', held.paths, folder));
    },
    ...trashActs(trashing, acting, (undo) => undoable.set(undo)),
    rename: async (item, name) =>
      await acting(async () => {
        const renamed = await api.renameFile(item.caminho, exactName(name));
        tasks.taken.set([item.caminho]);
        folderChanged(parentOf(item.caminho));
        undoable.set({ label: text('files.undoRename'), run: async () => await renameBack(tasks, renamed.caminho, item.caminho) });
        return renamed;
      }),
    newFolder: async (folder) => await acting(() => create(folder, text('menu.newFolder'), '', api.makeFolder)),
    newFile: async (folder) =>
      await acting(() => create(folder, text('menu.newFile'), '.txt', (path) => writeContent(path, new Uint8Array(), 'new'))),
    extract: async (paths) => await acting(async () => await extract(tasks, paths, toTrash, (undo) => undoable.set(undo))),
    upload: async (files, folder) => await upload(tasks, files, folder),
    undo: async () => {
      await last;
      const undo = undoable.get();
      if (undo === null) return;
      undoable.set(null);
      await acting(() => undo.run());
      announce(text('files.undone', { nome: undo.label }));
    },
  };
}

async function extract(
  tasks: Tasks,
  paths: readonly string[],
  toTrash: (paths: readonly string[]) => Promise<unknown>,
  undoable: (undo: Undo) => void,
): Promise<void> {
  const ended = await operate(tasks, text('files.extracting', { n: paths.length }), { tipo: 'extrair', itens: [...paths] });
  const made = ended?.resultados.flatMap(({ para }) => para ?? []) ?? [];
  if (made.length > 0) undoable({ label: text('files.undoExtract'), run: async () => void (await toTrash(made)) });
}

type Trashing = (label: string, tipo: OperationBody['tipo'], itens: readonly string[]) => Promise<readonly string[]>;

function trashActs(
  trashing: Trashing,
  acting: <T>(run: () => Promise<T>) => Promise<T>,
  undoable: (undo: Undo) => void,
): Pick<FileActs, 'trash' | 'restore' | 'erase' | 'remove'> {
  const restore = async (ids: readonly string[]): Promise<void> =>
    void (await trashing(text('files.restoring', { n: ids.length }), 'restaurar', ids));
  return {
    trash: async (paths) =>
      await acting(async () => {
        const ids = await trashing(text('files.trashing', { n: paths.length }), 'lixo', paths);
        if (ids.length > 0) undoable({ label: text('files.undoTrash'), run: async () => await restore(ids) });
      }),
    restore: async (ids) => await acting(() => restore(ids)),
    erase: async (ids) => void (await acting(() => trashing(text('files.erasing'), 'esvaziar', ids))),
    remove: async (paths) => void (await acting(() => trashing(text('files.erasing'), 'apagar', paths))),
  };
}

async function renameBack({ taken }: Tasks, now: string, before: string): Promise<void> {
  await api.renameFile(now, before.slice(before.lastIndexOf('/') + 1));
  taken.set([now]);
  folderChanged(parentOf(now));
}

/** Makes it under the first name that is free. */
async function freePath(folder: string, first: string, ending: string, make: (path: string) => Promise<unknown>): Promise<string> {
  for (let n = 1; ; n += 1) {
    const path = joinPath(folder, exactName(`${first}${n === 1 ? '' : ` (${n})`}${ending}`));
    try {
      await make(path);
      return path;
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if ((code !== 'FILE_EXISTS' && code !== 'FILE_CHANGED') || n >= newNamesMax) throw error;
    }
  }
}
