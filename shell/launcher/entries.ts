/** Entries that can be opened: the apps (an engine has no launcher icon, rules 2.1) and the shell's own windows; and commands. */
import type { AppProjection } from '../../schema/wire/http.ts';
import { attempt } from '../desktop/attempt.ts';
import type { Desk } from '../desktop/desk.ts';
import { filesWindow, queueWindow, settingsWindow, shopWindow, tasksWindow, terminalWindow } from '../desktop/desk-windows.ts';
import { pressShellKey } from '../desktop/keys.ts';
import { openHelp } from '../desktop/open-help.ts';
import { pinItem, pinMoves } from '../desktop/pin-item.ts';
import { windowActions } from '../desktop/window-menu.ts';
import { language, languageNames, languages, text } from '../i18n/i18n.ts';
import { beforeLeaving, leave } from '../session/leave.ts';
import { desktopMenu, jumpList, own, positions } from '../opening/menus.ts';
import { openRole } from '../opening/open.ts';
import { updatesIn } from '../shop/model.ts';
import { openMenu, type MenuGroup, type MenuPlace } from '../ui/menu.ts';
import { theme, themes } from '../ui/theme.ts';
import type { Glyph } from '../ui/glyphs.ts';
import type { Entry } from './search.ts';

export interface AppEntry extends Entry {
  readonly app: AppProjection | null;
  /** Picture of a window of the shell's own; null: an app. */
  readonly builtin: Glyph | null;
  /** How many things wait there for the person. */
  readonly badge: number;
  run(): void;
}
export interface CommandEntry extends Entry {
  readonly glyph: Glyph;
  run(): void;
}

export function appEntries(desk: Desk): readonly AppEntry[] {
  const apps = desk.apps.state
    .get()
    .apps.filter(({ type }) => type !== 'engine')
    .map((app) => ({
      key: app.id,
      name: app.name,
      description: app.description,
      category: app.category,
      app,
      builtin: null,
      badge: 0,
      run: () => void desk.openApp(app.id, { again: true }),
    }));
  const own = (key: string, name: string, builtin: Glyph, run: () => void, badge = 0): AppEntry => {
    return { key, name, description: '', category: 'System', app: null, builtin, badge, run };
  };
  return [
    ...apps,
    own(shopWindow, text('store.title'), 'shop', () => desk.openShop(), updatesIn(desk.shop.state.get())),
    own(settingsWindow, text('settings.title'), 'settings', () => desk.openSettings()),
    own(filesWindow, text('files.title'), 'folder', () => void openRole(desk, 'fileBrowser', home)),
    own(terminalWindow, text('terminal.title'), 'terminal', () => void openRole(desk, 'terminal', home)),
    own(queueWindow, text('queue.title'), 'queue', () => desk.openQueue()),
    own(tasksWindow, text('tasks.title'), 'tasks', () => desk.openTasks()),
  ];
}

export const themeTexts = { auto: 'prefs.themeAuto', light: 'prefs.themeLight', dark: 'prefs.themeDark' } as const;

export function commandEntries(desk: Desk): readonly CommandEntry[] {
  const top = desk.windows.top();
  const command = (name: string, glyph: Glyph, run: () => void): CommandEntry => ({
    key: name,
    name,
    description: '',
    category: '',
    glyph,
    run,
  });
  const ofWindow =
    top === null
      ? []
      : windowActions(desk, top)
          .flatMap(({ items }) => items)
          .map((item) => command(`${item.label} · ${desk.title(top)}`, item.glyph ?? 'app', () => item.run()));
  const switching =
    desk.windows.windows.get().length < 2
      ? []
      : [
          command(text('window.next'), 'app', () => pressShellKey(desk, 'F6')),
          command(text('window.previous'), 'app', () => pressShellKey(desk, 'Shift+F6')),
        ];
  return [
    ...ofWindow,
    ...switching,
    ...themes.map((name) => command(`${text('prefs.theme')}: ${text(themeTexts[name])}`, 'sun', () => theme.set(name))),
    ...languages.map((name) => command(`${text('prefs.language')}: ${languageNames[name]}`, 'language', () => language.set(name))),
    command(text('menu.desktop'), 'app', () => openDesktopMenu(desk, { x: innerWidth / 2 - 120, y: innerHeight / 4 })),
    command(text('help.title'), 'help', () => openHelp(desk)),
    command(text('prefs.shortcuts'), 'keyboard', () => desk.shortcutsOpen.set(true)),
    command(text('sessions.menu'), 'globe', () => desk.sessionsOpen.set(true)),
    command(text('prefs.signOut'), 'out', () => beforeLeaving(() => attempt(desk, leave))),
  ];
}

/** The desktop's entries after those of rules 2.2. */
const after = { tasks: 900, shop: 910 };

export function openAppMenu(desk: Desk, app: AppProjection, place: MenuPlace): void {
  const windows = desk.windows.ofApp(app.id);
  const [entries, ...more] = jumpList(desk, app.id, [
    own('open', positions.open, { label: text('launcher.openApp'), glyph: 'app', run: () => void desk.openApp(app.id, { again: true }) }),
    own('pin', positions.pin, pinItem(desk, app.id)),
    own('tasks', after.tasks, { label: text('boot.tasks'), glyph: 'tasks', run: () => desk.openTasks(app.id) }),
    own('shop', after.shop, { label: text('store.showInStore'), glyph: 'shop', run: () => desk.openShop(app.id) }),
  ]);
  const open = windows.map((window) => ({
    label: desk.title(window),
    checked: desk.windows.top()?.id === window.id,
    run: () => desk.activate(window.id),
  }));
  openMenu(app.name, [entries ?? { items: [] }, ...more, { items: pinMoves(desk, app.id) }, { items: open }], place);
}

/** Entries of the background's menu besides the acts on its folder. */
export const desktopGroups = (desk: Desk): readonly MenuGroup[] => [
  {
    items: [
      { label: text('menu.apps'), glyph: 'apps', run: () => desk.launcherOpen.set(true) },
      { label: text('store.title'), glyph: 'shop', run: () => desk.openShop() },
      { label: text('settings.title'), glyph: 'settings', run: () => desk.openSettings('aparencia') },
      { label: text('help.title'), glyph: 'help', keys: 'F1', run: () => openHelp(desk) },
    ],
  },
];

/** Opens the menu of the desktop's background where it shows no folder. */
export function openDesktopMenu(desk: Desk, place: MenuPlace): void {
  openMenu(text('menu.desktop'), desktopMenu(desk, home, {}, desktopGroups(desk)), place);
}

/** The folder that the desktop stands for. */
const home = { caminho: '~', nome: '~', isFolder: true };
