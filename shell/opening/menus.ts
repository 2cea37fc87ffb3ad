/**
 * Context menus of the desktop, of app icons, and, for the file manager, of files and folders: the desktop's entries at the positions of rules 2.2 and
 * those of apps, in one order. Decision: docs/decisions/0223-context-menus.md
 */
import type { OpeningDesk } from './model.ts';
import { text } from '../i18n/i18n.ts';
import type { MenuGroup, MenuItem } from '../ui/menu.ts';
import type { FileToOpen } from './file-type.ts';
import { typeOf } from './file-type.ts';
import { arrange, itemsOn, type AppItem, type Surface } from './menu-order.ts';
import { hasRole, openFile, openFileIn, openRole } from './open.ts';
import { holderOf, type Role } from './roles.ts';

/** An entry of the desktop's own. */
export interface OwnEntry {
  readonly id: string;
  readonly ordem: number;
  readonly item: MenuItem;
}

/** Positions of the desktop's entries among those of apps. Source: rules 2.2. */
export const positions = {
  open: 10,
  newFolder: 10,
  newFile: 15,
  terminal: 20,
  textEditor: 25,
  inFiles: 25,
  ide: 30,
  extract: 35,
  pin: 40,
  openWith: 60,
  download: 70,
  print: 80,
} as const;

export const own = (id: string, ordem: number, item: MenuItem): OwnEntry => ({ id, ordem, item });

/** A single group in one order; entries of apps beyond its bound go below "More". `run` runs an app's entry. */
export function inOneOrder(
  desk: OpeningDesk,
  entries: readonly OwnEntry[],
  items: readonly AppItem[],
  run: (item: AppItem) => void,
): readonly MenuGroup[] {
  const shown = (item: AppItem): MenuItem => {
    const app = desk.apps.find(item.app);
    return { label: item.rotulo, detail: app?.name ?? item.app, ...(app === undefined ? {} : { app }), run: () => run(item) };
  };
  const { inPlace, more } = arrange(entries, items);
  const place = inPlace.map((entry) => ('item' in entry ? entry.item : shown(entry)));
  return [
    { items: place },
    { items: more.length === 0 ? [] : [{ label: text('menu.more'), items: more.map(shown), run: () => undefined }] },
  ];
}

/** Entries of apps on a path: they open their app with what was clicked. Source: rules 2.2 `acao: abrir`. */
function onPath(
  desk: OpeningDesk,
  surface: Exclude<Surface, 'icone-do-app'>,
  file: FileToOpen,
  entries: readonly OwnEntry[],
): readonly MenuGroup[] {
  const items = itemsOn(surface, desk.opening.openers.get(), surface === 'arquivo' ? { nome: file.nome } : {});
  return inOneOrder(desk, entries, items, ({ app, id }) => openFileIn(desk, app, file, { superficie: surface, item: id }));
}

/** An entry for a role; none where nobody has it. */
function roleEntry(desk: OpeningDesk, role: Role, id: string, ordem: number, label: string, file: FileToOpen): readonly OwnEntry[] {
  if (!hasRole(desk, role, file)) return [];
  return [own(id, ordem, { label, run: () => void openRole(desk, role, file) })];
}

function ideEntry(desk: OpeningDesk, file: FileToOpen): readonly OwnEntry[] {
  const holder = holderOf('ide', desk.opening.openers.get(), desk.preferences.state.get() ?? {});
  const name = holder?.by === 'app' ? desk.apps.find(holder.app)?.name : undefined;
  return roleEntry(desk, 'ide', 'ide', positions.ide, name === undefined ? text('menu.ideAny') : text('menu.ide', { nome: name }), file);
}

/** Acts of the file manager on files; an act that it leaves out has no entry. */
export interface PathActs {
  readonly newFolder?: () => void;
  readonly newFile?: () => void;
  readonly extract?: () => void;
  readonly pin?: () => void;
  readonly download?: () => void;
  readonly print?: () => void;
}

const act = (
  id: keyof PathActs,
  label: string,
  run: (() => void) | undefined,
  sign: Pick<MenuItem, 'glyph' | 'keys'> = {},
): readonly OwnEntry[] => (run === undefined ? [] : [own(id, positions[id], { label, ...sign, run })]);

/** Menu of a file. `others` are further entries of the file manager, in groups below. */
export function fileMenu(desk: OpeningDesk, file: FileToOpen, acts: PathActs, others: readonly MenuGroup[] = []): readonly MenuGroup[] {
  const { kind } = typeOf(file, desk.opening.openers.get());
  const readable = kind === 'code' || kind === 'text' || kind === 'page';
  const entries = [
    own('open', positions.open, { label: text('menu.open'), run: () => void openFile(desk, file) }),
    ...(readable ? roleEntry(desk, 'editor', 'textEditor', positions.textEditor, text('menu.textEditor'), file) : []),
    ...(readable ? ideEntry(desk, file) : []),
    ...(kind === 'compressed' ? act('extract', text('menu.extract'), acts.extract) : []),
    own('openWith', positions.openWith, { label: text('menu.openWith'), run: () => desk.opening.asked.set(file) }),
    ...act('download', text('menu.download'), acts.download, { glyph: 'download' }),
    ...act('print', text('menu.print'), acts.print, { glyph: 'print', keys: 'Ctrl+P' }),
  ];
  return [...onPath(desk, 'arquivo', file, entries), ...others];
}

export function folderMenu(desk: OpeningDesk, folder: FileToOpen, acts: PathActs, others: readonly MenuGroup[] = []): readonly MenuGroup[] {
  const entries = [
    own('open', positions.open, { label: text('menu.open'), glyph: 'folder', run: () => void openFile(desk, folder) }),
    ...roleEntry(desk, 'terminal', 'terminal', positions.terminal, text('menu.terminalHere'), folder),
    ...ideEntry(desk, folder),
    ...act('pin', text('menu.pin'), acts.pin, { glyph: 'pin' }),
    ...act('download', text('menu.download'), acts.download, { glyph: 'download' }),
  ];
  return [...onPath(desk, 'pasta', folder, entries), ...others];
}

/** Menu of the background, or of the empty part of a folder that is shown there. */
export function desktopMenu(
  desk: OpeningDesk,
  folder: FileToOpen,
  acts: PathActs,
  others: readonly MenuGroup[] = [],
): readonly MenuGroup[] {
  const entries = [
    ...act('newFolder', text('menu.newFolder'), acts.newFolder, { glyph: 'folder' }),
    ...act('newFile', text('menu.newFile'), acts.newFile),
    ...roleEntry(desk, 'terminal', 'terminal', positions.terminal, text('menu.terminalHere'), folder),
    ...roleEntry(desk, 'fileBrowser', 'inFiles', positions.inFiles, text('menu.inFiles'), folder),
    ...ideEntry(desk, folder),
  ];
  return [...onPath(desk, 'area-de-trabalho', folder, entries), ...others];
}

/** The jump list of an app: the desktop's entries and the app's routes. Source: rules 2.2 `icone-do-app`. */
export function jumpList(desk: OpeningDesk, app: string, entries: readonly OwnEntry[]): readonly MenuGroup[] {
  const items = itemsOn('icone-do-app', desk.opening.openers.get(), { app });
  return inOneOrder(desk, entries, items, ({ rota }) => desk.openApp(app, { again: true, ...(rota === null ? {} : { route: rota }) }));
}
