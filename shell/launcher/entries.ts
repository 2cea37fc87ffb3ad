/** Entries that can be opened: the apps (an engine has no launcher icon, rules 2.1) and the shell's own windows; and commands. */
import type { AppProjection } from '../../schema/wire/http.ts';
import { attempt } from '../windows/attempt.ts';
import type { LauncherDesk } from './launcher-desk.ts';
import { permissionsItem, tabItem } from '../frames/open-tab.ts';
import { pinItem, pinMoves } from '../frames/pin-item.ts';
import { windowActions } from '../frames/window-menu.ts';
import { language, languageNames, languages, text } from '../i18n/i18n.ts';
import { beforeLeaving, leave } from '../session/leave.ts';
import { desktopMenu, jumpList, own, positions } from '../opening/menus.ts';
import { openRole } from '../opening/open.ts';
import { openMenu, type MenuGroup, type MenuPlace } from '../ui/menu.ts';
import { theme, themes, themeTexts } from '../ui/theme.ts';
import type { Glyph } from '../ui/glyphs.ts';
import type { Entry } from '../ui/search.ts';

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

export function appEntries(desk: LauncherDesk): readonly AppEntry[] {
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
  const own = desk.launcherRows().map(({ id, glyph, role, badge }) => ({
    key: id,
    name: desk.nameOf(id),
    description: '',
    category: 'System',
    app: null,
    builtin: glyph,
    badge,
    run: () => (role === null ? desk.open(id) : void openRole(desk, role, home)),
  }));
  return [...apps, ...own];
}

export function commandEntries(desk: LauncherDesk): readonly CommandEntry[] {
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
          command(text('window.next'), 'app', () => desk.press('F6')),
          command(text('window.previous'), 'app', () => desk.press('Shift+F6')),
        ];
  return [
    ...ofWindow,
    ...switching,
    ...themes.map((name) => command(`${text('prefs.theme')}: ${text(themeTexts[name])}`, 'sun', () => theme.set(name))),
    ...languages.map((name) => command(`${text('prefs.language')}: ${languageNames[name]}`, 'language', () => language.set(name))),
    command(text('menu.desktop'), 'app', () => openDesktopMenu(desk, { x: innerWidth / 2 - 120, y: innerHeight / 4 })),
    command(text('help.title'), 'help', () => desk.openHelp()),
    command(text('prefs.shortcuts'), 'keyboard', () => desk.shortcutsOpen.set(true)),
    command(text('sessions.menu'), 'globe', () => desk.sessionsOpen.set(true)),
    command(text('prefs.signOut'), 'out', () => beforeLeaving(() => attempt(desk, leave))),
  ];
}

/** The desktop's entries after those of rules 2.2. */
const after = { tasks: 900, permissions: 905, shop: 910 };

export function openAppMenu(desk: LauncherDesk, app: AppProjection, place: MenuPlace): void {
  const windows = desk.windows.ofApp(app.id);
  const [entries, ...more] = jumpList(desk, app.id, [
    own('open', positions.open, { label: text('launcher.openApp'), glyph: 'app', run: () => void desk.openApp(app.id, { again: true }) }),
    own('tab', positions.open, tabItem(app)),
    own('pin', positions.pin, pinItem(desk, app.id)),
    own('tasks', after.tasks, { label: text('boot.tasks'), glyph: 'tasks', run: () => desk.open('@tarefas', app.id) }),
    own('permissions', after.permissions, permissionsItem(desk, app.id)),
    own('shop', after.shop, { label: text('store.showInStore'), glyph: 'shop', run: () => desk.open('@loja', app.id) }),
  ]);
  const open = windows.map((window) => ({
    label: desk.title(window),
    checked: desk.windows.top()?.id === window.id,
    run: () => desk.activate(window.id),
  }));
  openMenu(app.name, [entries ?? { items: [] }, ...more, { items: pinMoves(desk, app.id) }, { items: open }], place);
}

/** Entries of the background's menu besides the acts on its folder. */
export const desktopGroups = (desk: LauncherDesk): readonly MenuGroup[] => [
  {
    items: [
      { label: text('menu.apps'), glyph: 'apps', run: () => desk.launcherOpen.set(true) },
      { label: desk.nameOf('@loja'), glyph: 'shop', run: () => desk.open('@loja') },
      { label: desk.nameOf('@configuracoes'), glyph: 'settings', run: () => desk.open('@configuracoes', 'aparencia') },
      { label: text('help.title'), glyph: 'help', keys: 'F1', run: () => desk.openHelp() },
    ],
  },
];

/** Opens the menu of the desktop's background where it shows no folder. */
export function openDesktopMenu(desk: LauncherDesk, place: MenuPlace): void {
  openMenu(text('menu.desktop'), desktopMenu(desk, home, {}, desktopGroups(desk)), place);
}

/** The folder that the desktop stands for. */
const home = { caminho: '~', nome: '~', isFolder: true };
