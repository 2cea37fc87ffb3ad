/** What can be done with the windows of a desk, and how an app becomes a window. */
import type { AppProjection } from '../../schema/wire/http.ts';
import { text } from '../i18n/i18n.ts';
import type { Glyph } from '../ui/glyphs.ts';
import type { WindowState } from '../windows/manager.ts';
import { windowOptions, type WindowOptions } from '../windows/options.ts';
import type { Desk } from './desk.ts';

/** The task manager's name as a window; no app id begins with `@`. */
export const tasksWindow = '@tarefas';

/** The shop's. */
export const shopWindow = '@loja';

export const isApp = (window: Pick<WindowState, 'app'>): boolean => !window.app.startsWith('@');

/** The glyph of a window of the shell's own. */
export const builtinOf = (window: Pick<WindowState, 'app'>): Glyph | null =>
  isApp(window) ? null : window.app === shopWindow ? 'shop' : 'tasks';

const ownOptions = (title: string): WindowOptions => ({
  title,
  size: { width: 1_020, height: 620 },
  least: {},
  position: 'centrada',
  manyWindows: false,
  header: 'ambiente',
  icon: null,
  noDrag: [],
});
export const tasksOptions = (): WindowOptions => ownOptions(text('tasks.title'));
export const shopOptions = (): WindowOptions => ownOptions(text('store.title'));

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

export type DeskWindows = Pick<Desk, 'title' | 'openApp' | 'openTasks' | 'openShop' | 'activate' | 'minimise' | 'close'>;

export function deskWindows(desk: () => Desk): DeskWindows {
  return {
    title: (window) =>
      window.app === tasksWindow ? text('tasks.title') : window.app === shopWindow ? text('store.title') : window.options.title,
    openApp: (id, { route = '', again = false } = {}) => {
      const app = desk().apps.find(id);
      if (app === undefined) return false;
      const options = optionsOf(app);
      const open = desk()
        .windows.ofApp(id)
        .toSorted((a, b) => b.z - a.z)[0];
      if (open !== undefined && !(again && options.manyWindows)) {
        if (route !== '') desk().bridge.emit(open.id, 'abertura', { rota: route });
        desk().activate(open.id);
        return false;
      }
      desk().announcement.set(text('window.opened', { titulo: desk().windows.open(id, options, route).options.title }));
      return true;
    },
    openTasks: (app) => {
      if (app !== undefined) desk().tasksApp.set(app);
      const open = desk().windows.ofApp(tasksWindow)[0];
      if (open === undefined) desk().windows.open(tasksWindow, tasksOptions());
      else desk().activate(open.id);
    },
    openShop: (app) => {
      if (app !== undefined) desk().shop.page.set({ kind: 'app', id: app });
      const open = desk().windows.ofApp(shopWindow)[0];
      if (open === undefined) desk().windows.open(shopWindow, shopOptions());
      else desk().activate(open.id);
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
    close: (id) => {
      const window = desk().windows.find(id);
      if (window === undefined) return;
      desk().windows.close(id);
      desk().announcement.set(text('window.closed', { titulo: desk().title(window) }));
      focusTop(desk());
    },
  };
}
