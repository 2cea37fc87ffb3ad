/**
 * State of the shop and its acts. As with the apps, the portal's answer is the truth: an event moves the progress at once and everything
 * else by another reading (one in flight, one waiting).
 */
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { ShopApp } from '../../schema/wire/shop.ts';
import { cancelInstall, installApp, readShop, removeApp, updateAllApps } from '../session/api.ts';
import { sayError } from '../session/say-error.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { sayChanges } from './words.ts';

export interface ShopState {
  readonly apps: readonly ShopApp[];
  readonly loaded: boolean;
  /** Why the list may be old, by the portal; in English. */
  readonly problem: string | null;
  /** Why the last reading failed. */
  readonly error: string | null;
}

export type ShopPage =
  | { readonly kind: 'browse' }
  | { readonly kind: 'installed' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'app'; readonly id: string };

export interface ShopModel {
  readonly state: Signal<ShopState>;
  readonly page: Signal<ShopPage>;
  /** Why the last request was refused; null when it wasn't. */
  readonly refusal: Signal<string | null>;
  /** Apps with a request on its way; '*' for all of them. */
  readonly busy: Signal<ReadonlySet<string>>;
  refresh(): void;
  apply(event: PortalEvent): void;
  /** The newest version by default. */
  install(app: string, version?: string): Promise<void>;
  cancel(app: string): Promise<void>;
  remove(app: string): Promise<void>;
  updateAll(): Promise<void>;
}

const gatherMs = 150;
/** A newly published version appears without an action of the person. */
const refreshMs = 5 * 60_000;

export const updatesIn = ({ apps }: ShopState): number => apps.filter(({ actions }) => actions.includes('update')).length;

/** `announce` gets in words what happened since the last reading. Lives as long as the page. */
export function createShopModel(announce: (words: string) => void): ShopModel {
  const state = createSignal<ShopState>({ apps: [], loaded: false, problem: null, error: null });
  const refusal = createSignal<string | null>(null);
  const busy = createSignal<ReadonlySet<string>>(new Set());
  const refresh = reader(state, announce);
  setInterval(() => document.visibilityState === 'visible' && refresh(), refreshMs);

  const ask = async (app: string, request: () => Promise<unknown>): Promise<void> => {
    busy.set(new Set([...busy.get(), app]));
    refusal.set(null);
    try {
      await request();
    } catch (error) {
      refusal.set(sayError(error));
    }
    busy.set(new Set([...busy.get()].filter((name) => name !== app)));
    refresh();
  };
  return {
    state,
    page: createSignal<ShopPage>({ kind: 'browse' }),
    refusal,
    busy,
    refresh,
    apply: (event) => {
      if (event.type === 'apps-changed') return refresh();
      if (event.type !== 'install-progress') return;
      const before = state.get().apps.find(({ id }) => id === event.app)?.install ?? null;
      state.set({ ...state.get(), apps: state.get().apps.map((app) => moved(app, event)) });
      if (before === null || event.progress === null || before.state !== event.state) refresh();
    },
    install: (app, version) => ask(app, () => installApp(app, version)),
    cancel: (app) => ask(app, () => cancelInstall(app)),
    remove: (app) => ask(app, () => removeApp(app)),
    updateAll: () => ask('*', updateAllApps),
  };
}

function reader(state: Signal<ShopState>, announce: (words: string) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let reading = false;
  let again = false;
  const readNow = async (): Promise<void> => {
    reading = true;
    try {
      const before = state.get();
      const { apps, problem } = await readShop();
      state.set({ apps, problem, loaded: true, error: null });
      retry.succeeded();
      const words = before.loaded ? sayChanges(before.apps, apps) : '';
      if (words !== '') announce(words);
    } catch (error) {
      retry.failed(error);
      state.set({ ...state.get(), error: sayError(error) });
    }
    reading = false;
    if (!again) return;
    again = false;
    refresh();
  };
  const refresh = (): void => {
    if (reading) again = true;
    else timer ??= setTimeout(() => ((timer = null), void readNow()), gatherMs);
  };
  const retry = createRetry(refresh);
  return refresh;
}

/** The app as an event leaves it: the progress of its installation. The buttons follow from another reading. */
export function moved(app: ShopApp, event: Extract<PortalEvent, { type: 'install-progress' }>): ShopApp {
  if (event.app !== app.id || app.install === null) return app;
  const { state, reason, message, progress } = event;
  return { ...app, install: { ...app.install, state, reason, message, progress } };
}
