/** Acts on the windows of a desk, and how an app becomes a window. */
import type { AppProjection } from '../../schema/wire/http.ts';
import { text } from '../i18n/i18n.ts';
import { placeName } from '../files/place-name.ts';
import { openFile, openLink } from '../opening/open.ts';
import type { WindowState } from '../windows/manager.ts';
import { windowOptions, type WindowOptions } from '../windows/options.ts';
import type { BuiltInId, OpenAppOptions } from '../windows/shell.ts';
import { builtIn, builtinContent, launcherRows, nameOf, openBuiltIn, openHelp } from './built-in.ts';
import type { Desk } from './desk.ts';
import { pressShellKey } from './keys.ts';
import { updateApp } from './update-app.ts';

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

/** Windows of files are named after them, that of the home as in the launcher, and say when something in them is not saved. */
function titleOf(desk: Desk, window: WindowState): string {
  const title = plainTitleOf(desk, window);
  return desk.held.get().has(window.id) ? text('editor.unsavedTitle', { nome: title }) : title;
}

function plainTitleOf(desk: Desk, { app, route, options }: WindowState): string {
  const kind = builtIn(app);
  if (kind === undefined) return options.title;
  const isNamed = kind.many === true && route !== '' && !(app === '@files' && route === desk.homePath.get());
  return (isNamed ? placeName(route, desk.homePath.get()) : '') || nameOf(app as BuiltInId);
}

/** The acts of a desk. */
export type DeskWindows = { readonly [K in keyof Desk as Desk[K] extends (...args: never[]) => unknown ? K : never]: Desk[K] };

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
    open: (id, route = '') => openBuiltIn(desk(), id, route),
    nameOf,
    glyphOf: ({ app }) => builtIn(app)?.glyph ?? null,
    contentOf: (window) => builtinContent(desk(), window),
    launcherRows: () => launcherRows(desk()),
    openHelp: () => openHelp(desk()),
    press: (key) => pressShellKey(desk(), key),
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
    updateApp: (app) => updateApp(desk(), app),
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
