/**
 * Acts of the person on the tabs of a window. The page is notified; closing a tab and adding one are its own to do. Decision:
 * docs/decisions/0207-tabs-of-a-window.md
 */
import type { Tab } from '../../schema/bridge/tab-verbs.ts';
import type { TabsDesk } from './tabs.ts';
import { text } from '../i18n/i18n.ts';
import type { MenuGroup } from '../ui/menu.ts';
import type { WindowTabs } from './tabs.ts';

export function selectTab(desk: TabsDesk, window: string, id: string): void {
  if (desk.tabs.state.get().get(window)?.active === id || !desk.tabs.select(window, id)) return;
  desk.bridge.emit(window, 'abas', { acao: 'selecionar', id });
}

export function askToClose(desk: TabsDesk, window: string, { id, fechavel }: Tab): void {
  if (fechavel !== false) desk.bridge.emit(window, 'abas', { acao: 'fechar', id });
}

export const askForNew = (desk: TabsDesk, window: string): void => desk.bridge.emit(window, 'abas', { acao: 'nova' });

export function reorderTabs(desk: TabsDesk, window: string, ids: readonly string[]): void {
  const before = desk.tabs.state
    .get()
    .get(window)
    ?.tabs.map(({ id }) => id);
  if (before?.join() === ids.join() || !desk.tabs.order(window, ids)) return;
  desk.bridge.emit(window, 'abas', { acao: 'ordenar', ids });
}

/** Moves a tab one place to the right, or with -1 to the left; at the ends it does nothing. */
export function moveTab(desk: TabsDesk, window: string, id: string, by: 1 | -1): void {
  const tabs = desk.tabs.state.get().get(window)?.tabs ?? [];
  const ids = tabs.map((tab) => tab.id);
  const at = ids.indexOf(id);
  const to = at + by;
  if (at === -1 || to < 0 || to >= ids.length) return;
  reorderTabs(desk, window, ids.toSpliced(at, 1).toSpliced(to, 0, id));
  desk.announcement.set(text('tabs.moved', { titulo: tabs[at]?.titulo ?? '', lugar: to + 1, total: ids.length }));
}

/** Every tab, to choose from. */
export const tabChoices = (desk: TabsDesk, window: string, { tabs, active }: WindowTabs): MenuGroup => ({
  heading: text('tabs.all'),
  items: tabs.map((tab) => ({
    label: tab.titulo,
    checked: tab.id === active,
    run: () => (selectTab(desk, window, tab.id), desk.activate(window)),
  })),
});

/** Menu entries of a single tab. */
export function tabCommands(desk: TabsDesk, window: string, { tabs, canAdd }: WindowTabs, tab: Tab): MenuGroup {
  const at = tabs.findIndex(({ id }) => id === tab.id);
  return {
    items: [
      ...(canAdd ? [{ label: text('tabs.new'), glyph: 'plus' as const, run: () => askForNew(desk, window) }] : []),
      ...(at > 0 ? [{ label: text('tabs.before'), glyph: 'back' as const, run: () => moveTab(desk, window, tab.id, -1) }] : []),
      ...(at < tabs.length - 1
        ? [{ label: text('tabs.after'), glyph: 'forward' as const, run: () => moveTab(desk, window, tab.id, 1) }]
        : []),
      ...(tab.fechavel === false
        ? []
        : [{ label: text('tabs.close', { titulo: tab.titulo }), glyph: 'close' as const, run: () => askToClose(desk, window, tab) }]),
    ],
  };
}

/** For the menu of the window: the tabs, and what can be done with the active one. */
export function tabGroups(desk: TabsDesk, window: string): readonly MenuGroup[] {
  const now = desk.tabs.state.get().get(window);
  if (now === undefined) return [];
  const active = now.tabs.find(({ id }) => id === now.active);
  if (active !== undefined) return [tabChoices(desk, window, now), tabCommands(desk, window, now, active)];
  return [{ items: [{ label: text('tabs.new'), glyph: 'plus', run: () => askForNew(desk, window) }] }];
}
