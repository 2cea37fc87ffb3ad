/** The menus of the file manager: what opening adds (opening/menus.ts) and its own acts, in groups below. */
import { unpackedEnding, type FileItem } from '../../schema/wire/files.ts';
import { attempt } from '../windows/attempt.ts';
import type { FilesDesk } from './desk-acts.ts';
import { text } from '../i18n/i18n.ts';
import { desktopMenu, fileMenu, folderMenu, type PathActs } from '../opening/menus.ts';
import { nameOfPath } from '../opening/file-path.ts';
import { downloadUrl } from '../session/content-api.ts';
import { zipUrl } from '../session/files-api.ts';
import { printing } from '../viewer/print.ts';
import type { MenuGroup, MenuItem } from '../ui/menu.ts';
import type { FileActs } from './acts.ts';
import { fileOf } from './entry-words.ts';
import { askErase } from './svc-file-question.ts';

/** Parts of the window that the menu is opened in. */
export interface MenuParts {
  readonly desk: FilesDesk;
  readonly acts: FileActs;
  /** Begins to edit the name. */
  rename(item: FileItem): void;
  pin(path: string): void;
  chooseFiles(isFolder: boolean): void;
  selectAll(): void;
  toggleHidden(): void;
  refresh(): void;
  readonly hidden: boolean;
}

/** Downloads a single file as it is, several as a zip. */
export function download(items: readonly FileItem[]): void {
  const [first] = items;
  if (first === undefined) return;
  const link = document.createElement('a');
  link.href = items.length === 1 && first.tipo === 'arquivo' ? downloadUrl(first.caminho) : zipUrl(items.map(({ caminho }) => caminho));
  link.download = '';
  link.click();
}

export function itemMenu(parts: MenuParts, items: readonly FileItem[]): readonly MenuGroup[] {
  const { desk, acts } = parts;
  const [item] = items;
  if (item === undefined) return [];
  const paths = items.map(({ caminho }) => caminho);
  const held = acts.clipboard.get();
  const isFolder = items.length === 1 && item.tipo === 'pasta';
  const move: MenuItem[] = [
    { label: text('files.cutOut'), keys: 'Ctrl+X', run: () => acts.clipboard.set({ paths, cut: true }) },
    { label: text('files.copy'), glyph: 'copy', keys: 'Ctrl+C', run: () => acts.clipboard.set({ paths, cut: false }) },
    ...(isFolder && held !== null ? [{ label: text('files.paste'), run: () => attempt(desk, () => acts.paste(item.caminho)) }] : []),
  ];
  const change: MenuItem[] = [
    ...(items.length === 1 ? [{ label: text('files.rename'), keys: 'F2', run: () => parts.rename(item) }] : []),
    { label: text('files.toTrash'), glyph: 'trash', keys: 'Delete', run: () => attempt(desk, () => acts.trash(paths)) },
  ];
  const others = [{ items: move }, { items: change }];
  // A broken link, a device: there is nothing to open.
  if (items.length === 1 && !isFolder && item.tipo !== 'arquivo') return others;
  const print = printing(desk, item);
  const pathActs: PathActs = {
    download: () => download(items),
    ...(print === null ? {} : { print: () => attempt(desk, print) }),
    ...(isFolder ? { pin: () => parts.pin(item.caminho) } : {}),
    ...(item.tipo === 'arquivo' && unpackedEnding.test(item.nome) ? { extract: () => attempt(desk, () => acts.extract(paths)) } : {}),
  };
  if (items.length > 1) return [{ items: [{ label: text('menu.download'), glyph: 'download', run: () => download(items) }] }, ...others];
  return isFolder ? folderMenu(desk, fileOf(item), pathActs, others) : fileMenu(desk, fileOf(item), pathActs, others);
}

export function folderGroundMenu(parts: MenuParts, folder: string, made: (item: FileItem) => void): readonly MenuGroup[] {
  const { desk, acts } = parts;
  const undoable = acts.undoable.get();
  const others: MenuGroup[] = [
    {
      items: [
        ...(acts.clipboard.get() === null
          ? []
          : [{ label: text('files.paste'), keys: 'Ctrl+V', run: () => attempt(desk, () => acts.paste(folder)) }]),
        { label: text('files.upload'), run: () => parts.chooseFiles(false) },
        { label: text('files.uploadFolder'), run: () => parts.chooseFiles(true) },
      ],
    },
    {
      items: [
        ...(undoable === null
          ? []
          : [
              {
                label: text('files.undo', { nome: undoable.label }),
                glyph: 'undo' as const,
                keys: 'Ctrl+Z',
                run: () => attempt(desk, () => acts.undo()),
              },
            ]),
        { label: text('files.selectAll'), keys: 'Ctrl+A', run: () => parts.selectAll() },
        { label: text('files.hidden'), on: parts.hidden, run: () => parts.toggleHidden() },
        { label: text('files.refresh'), glyph: 'reload', run: () => parts.refresh() },
      ],
    },
  ];
  const acting: PathActs = {
    newFolder: () => attempt(desk, async () => made(await acts.newFolder(folder))),
    newFile: () => attempt(desk, async () => made(await acts.newFile(folder))),
  };
  return desktopMenu(desk, { caminho: folder, nome: nameOfPath(folder), isFolder: true }, acting, others);
}

export function trashMenu({ desk, acts }: MenuParts, items: readonly FileItem[]): readonly MenuGroup[] {
  const ids = items.map(({ caminho }) => caminho);
  const some: MenuItem[] =
    ids.length === 0
      ? []
      : [
          { label: text('files.restore'), glyph: 'undo', run: () => attempt(desk, () => acts.restore(ids)) },
          { label: text('files.erase'), glyph: 'trash', keys: 'Delete', run: () => erase(desk, acts, ids) },
        ];
  return [{ items: some }, { items: [{ label: text('files.emptyIt'), glyph: 'trash', run: () => erase(desk, acts, []) }] }];
}

/** [] is all that is in the trash. */
export function erase(desk: FilesDesk, acts: FileActs, ids: readonly string[]): void {
  const words = ids.length === 0 ? text('files.eraseAll') : text('files.eraseWords', { n: ids.length });
  attempt(desk, async () => {
    if (await askErase(words)) await acts.erase(ids);
  });
}

/** Past the trash. */
export function removeForGood(desk: FilesDesk, acts: FileActs, paths: readonly string[]): void {
  attempt(desk, async () => {
    if (await askErase(text('files.eraseWords', { n: paths.length }))) await acts.remove(paths);
  });
}
