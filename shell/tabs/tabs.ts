/**
 * Tabs that the pages of windows have, by window. The acts of a page and a person on them are in tab-actions.ts. Decision:
 * docs/decisions/0207-tabs-of-a-window.md
 */
import type { ClosedTab, Tab } from '../../schema/bridge/tab-verbs.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { limits } from './limits.ts';
import type { Shell } from '../windows/shell.ts';
import type { BridgeHost } from '../bridge/host.ts';

export interface TabsDesk extends Shell {
  /** The tabs that pages say their windows have. */
  readonly tabs: Tabs;
  readonly bridge: BridgeHost;
}

export interface WindowTabs {
  readonly app: string;
  readonly tabs: readonly Tab[];
  readonly active: string | null;
  /** There is a button for a new one. */
  readonly canAdd: boolean;
}

export interface Tabs {
  readonly state: Signal<ReadonlyMap<string, WindowTabs>>;
  /** The active one stays where `active` is null and it is still there. False: `active` is none of them. */
  put(window: string, next: WindowTabs): boolean;
  /** False: there is no such tab. */
  select(window: string, id: string): boolean;
  remove(window: string, id: string): boolean;
  /** False: these are not the ids that there are, each once. */
  order(window: string, ids: readonly string[]): boolean;
  /** Another page is in the window, which begins without. */
  clear(window: string): void;
  /** The window is closed: its tabs are kept for `takeClosed`. */
  drop(window: string): void;
  /** The tabs of all windows of the app that closed since the last time; beyond the limit the oldest go. */
  takeClosed(app: string): readonly ClosedTab[];
}

export function createTabs(): Tabs {
  const state = createSignal<ReadonlyMap<string, WindowTabs>>(new Map());
  const closed = new Map<string, readonly ClosedTab[]>();
  const of = (window: string): WindowTabs | undefined => state.get().get(window);
  const change = (window: string, next: WindowTabs | null): true => {
    const all = new Map(state.get());
    all.delete(window);
    state.set(next === null ? all : all.set(window, next));
    return true;
  };
  return {
    state,
    put: (window, { active, ...rest }) => {
      const has = (id: string | null | undefined): boolean => rest.tabs.some((tab) => tab.id === id);
      if (active !== null && !has(active)) return false;
      const before = of(window)?.active ?? null;
      const shown = active ?? (has(before) ? before : (rest.tabs[0]?.id ?? null));
      return change(window, rest.tabs.length === 0 && !rest.canAdd ? null : { ...rest, active: shown });
    },
    select: (window, id) => {
      const now = of(window);
      if (now?.tabs.some((tab) => tab.id === id) !== true) return false;
      return now.active === id || change(window, { ...now, active: id });
    },
    remove: (window, id) => {
      const now = of(window);
      const at = now?.tabs.findIndex((tab) => tab.id === id) ?? -1;
      if (now === undefined || at === -1) return false;
      const tabs = now.tabs.toSpliced(at, 1);
      const neighbour = tabs[Math.min(at, tabs.length - 1)]?.id ?? null;
      return change(window, tabs.length === 0 && !now.canAdd ? null : { ...now, tabs, active: now.active === id ? neighbour : now.active });
    },
    order: (window, ids) => {
      const now = of(window);
      const tabs = ids.flatMap((id) => now?.tabs.find((tab) => tab.id === id) ?? []);
      if (now === undefined || tabs.length !== ids.length || tabs.length !== now.tabs.length || new Set(ids).size !== ids.length)
        return false;
      return change(window, { ...now, tabs });
    },
    clear: (window) => void (of(window) !== undefined && change(window, null)),
    drop: (window) => {
      const now = of(window);
      if (now === undefined) return;
      const before = closed.get(now.app) ?? [];
      const janela = (before.at(-1)?.janela ?? 0) + 1;
      const ended = now.tabs.map(({ id, titulo }) => ({ id, titulo, ativa: id === now.active, janela }));
      closed.set(now.app, [...before, ...ended].slice(-limits.closedTabsMax));
      change(window, null);
    },
    takeClosed: (app) => {
      const taken = closed.get(app) ?? [];
      closed.delete(app);
      return taken;
    },
  };
}
