/** Acts on the windows of a desk, and how an app becomes a window. */
import type { AppProjection } from '../../schema/wire/http.ts';
import { text, type TextKey } from '../i18n/i18n.ts';
import { placeName } from '../files/place-name.ts';
import { openFile, openLink } from '../opening/open.ts';
import type { Glyph } from '../ui/glyphs.ts';
import type { WindowState } from '../windows/manager.ts';
import { windowOptions, type WindowOptions } from '../windows/options.ts';
import type { Desk, OpenAppOptions } from './desk.ts';

/** The task manager's name as a window; no app id begins with `@`. */
export const tasksWindow = '@tarefas';

/** The shop's. */
export const shopWindow = '@loja';

/** Id of the Settings window. */
export const settingsWindow = '@configuracoes';

/** Id of the queue's window. */
export const queueWindow = '@fila';

/** Id of the terminals' window. */
export const terminalWindow = '@terminal';

/** Id of the window of `svc dev`. */
export const devWindow = '@dev';

/** Id of the text editor's windows, one for each file; their route is its path. */
export const editorWindow = '@editor';

/** Id of the viewer's windows, one for each file; their route is its path. */
export const viewerWindow = '@viewer';

/** Id of the file manager's windows, one for each folder; their route is its path. */
export const filesWindow = '@files';

export const isApp = (window: Pick<WindowState, 'app'>): boolean => !window.app.startsWith('@');

interface OwnWindow {
  readonly title: TextKey;
  readonly glyph: Glyph;
  readonly many?: true;
}

/** The windows of the shell's own. A map, since an app may be called `constructor`. */
const own: ReadonlyMap<string, OwnWindow> = new Map(
  Object.entries<OwnWindow>({
    [tasksWindow]: { title: 'tasks.title', glyph: 'tasks' },
    [shopWindow]: { title: 'store.title', glyph: 'shop' },
    [settingsWindow]: { title: 'settings.title', glyph: 'settings' },
    [queueWindow]: { title: 'queue.title', glyph: 'queue' },
    [devWindow]: { title: 'dev.title', glyph: 'puzzle' },
    [terminalWindow]: { title: 'terminal.title', glyph: 'terminal' },
    [filesWindow]: { title: 'files.title', glyph: 'folder', many: true },
    [viewerWindow]: { title: 'opening.viewer', glyph: 'image', many: true },
    [editorWindow]: { title: 'editor.title', glyph: 'text', many: true },
  }),
);

/** The glyph of such a window. */
export const builtinOf = ({ app }: Pick<WindowState, 'app'>): Glyph | null => own.get(app)?.glyph ?? null;

const ownOptions = (title: string, manyWindows: boolean): WindowOptions => ({
  title,
  size: { width: 1_020, height: 620 },
  least: {},
  position: 'centrada',
  manyWindows,
  tabs: false,
  header: 'ambiente',
  icon: null,
  noDrag: [],
});
/** Options of a window of the shell's own; null for any other id. */
export function builtinOptions(app: string): WindowOptions | null {
  const kind = own.get(app);
  return kind === undefined ? null : ownOptions(text(kind.title), kind.many === true);
}

const selectorWorks = (selector: string): boolean => {
  try {
    document.createDocumentFragment().querySelector(selector);
    return true;
  } catch {
    return false;
  }
};
export const optionsOf = (app: AppProjection): WindowOptions => windowOptions(app, location.href, selectorWorks);

function focusTop(desk: Desk): void {
  const top = desk.windows.top();
  if (top !== null) desk.frames.get(top.id)?.focusContent();
}

/** Opens a window of the shell's own, or raises the open one; a kind with several windows is matched by route. */
function openOwn(desk: Desk, window: string, route = ''): void {
  const options = builtinOptions(window);
  const open = desk.windows.ofApp(window).find((each) => options?.manyWindows !== true || each.route === route);
  if (open !== undefined) desk.activate(open.id);
  else if (options !== null) desk.windows.open(window, options, route);
}

/** Windows of files are named after them, that of the home as in the launcher, and say when something in them is not saved. */
function titleOf(desk: Desk, window: WindowState): string {
  const title = plainTitleOf(desk, window);
  return desk.held.get().has(window.id) ? text('editor.unsavedTitle', { nome: title }) : title;
}

function plainTitleOf(desk: Desk, { app, route, options }: WindowState): string {
  const kind = own.get(app);
  if (kind === undefined) return options.title;
  const isNamed = kind.many === true && route !== '' && !(app === filesWindow && route === desk.homePath.get());
  return (isNamed ? placeName(route, desk.homePath.get()) : '') || text(kind.title);
}

export type DeskWindows = Pick<
  Desk,
  | 'title'
  | 'openApp'
  | 'openFile'
  | 'openLink'
  | 'openTasks'
  | 'openShop'
  | 'openSettings'
  | 'openQueue'
  | 'openDev'
  | 'openTerminal'
  | 'openFiles'
  | 'openEditor'
  | 'openViewer'
  | 'hold'
  | 'activate'
  | 'minimise'
  | 'close'
  | 'reload'
  | 'discard'
>;

function openApp(desk: Desk, id: string, { route = '', again = false, window, context }: OpenAppOptions = {}): boolean {
  const app = desk.apps.find(id);
  if (app === undefined) return false;
  const options = optionsOf(app);
  const mine = desk.windows.ofApp(id).toSorted((a, b) => b.z - a.z);
  const open = mine.find((each) => each.id === window) ?? mine[0];
  if (open !== undefined && !(again && options.manyWindows)) {
    if (route !== '') desk.bridge.emit(open.id, 'abertura', { rota: route });
    if (context !== undefined) desk.bridge.emit(open.id, 'abertura', { ...context });
    desk.activate(open.id);
    return false;
  }
  const made = desk.windows.open(id, options, route);
  if (context !== undefined) desk.bridge.emit(made.id, 'abertura', { ...context });
  desk.announcement.set(text('window.opened', { titulo: made.options.title }));
  return true;
}

export function deskWindows(desk: () => Desk): DeskWindows {
  return {
    title: (window) => titleOf(desk(), window),
    openApp: (id, options) => openApp(desk(), id, options),
    openFile: async (file) => await openFile(desk(), file),
    openLink: (address) => openLink(desk(), address),
    openTasks: (app) => {
      if (app !== undefined) desk().tasksApp.set(app);
      openOwn(desk(), tasksWindow);
    },
    openShop: (app) => {
      if (app !== undefined) desk().shop.page.set({ kind: 'app', id: app });
      openOwn(desk(), shopWindow);
    },
    openSettings: (section) => {
      if (section !== undefined) desk().settings.section.set(section);
      openOwn(desk(), settingsWindow);
    },
    openQueue: (job) => openQueue(desk(), job),
    openDev: () => openOwn(desk(), devWindow),
    openTerminal: (folder) => {
      if (folder !== undefined) desk().terminalFolders.set([...desk().terminalFolders.get(), folder]);
      openOwn(desk(), terminalWindow);
    },
    openViewer: (path) => openOwn(desk(), viewerWindow, path),
    openFiles: (path) => openOwn(desk(), filesWindow, path),
    openEditor: (path) => openOwn(desk(), editorWindow, path),
    hold: (id, ask) => {
      const held = new Map(desk().held.get());
      if (ask === null ? !held.delete(id) : held.get(id) === ask) return;
      desk().held.set(ask === null ? held : held.set(id, ask));
    },
    activate: (id) => {
      desk().windows.focus(id);
      desk().frames.get(id)?.focusContent();
    },
    minimise: (id) => {
      const window = desk().windows.find(id);
      if (window === undefined) return;
      desk().windows.minimise(id);
      desk().announcement.set(text('window.minimised', { titulo: desk().title(window) }));
      focusTop(desk());
    },
    close: (id, byPage = false) => {
      const ask = desk().held.get().get(id);
      if (ask === undefined) return closeNow(desk(), id);
      if (!byPage) desk().activate(id);
      ask();
    },
    reload: (id) => {
      if (desk().unsaved.state.get().has(id)) desk().activate(id);
      desk().unsaved.before(id, 'reload');
    },
    discard: (id) => {
      desk().unsaved.drop(id);
      desk().hold(id, null);
      closeNow(desk(), id);
    },
  };
}

function closeNow(desk: Desk, id: string): void {
  const window = desk.windows.find(id);
  if (window === undefined) return;
  desk.windows.close(id);
  desk.announcement.set(text('window.closed', { titulo: desk.title(window) }));
  focusTop(desk);
}

/** At one of the person's own jobs. */
function openQueue(desk: Desk, job?: string): void {
  const { queue } = desk;
  if (job !== undefined && queue.state.get().of !== null) queue.show(null);
  if (job !== undefined) queue.chosen.set(job);
  openOwn(desk, queueWindow);
}
