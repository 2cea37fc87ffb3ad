/**
 * The apps of the person with their state. The portal's answer is the truth; events only patch it until the next reading, which every event
 * asks for (one in flight, one waiting). An answer may be older than an event that came while it was under way.
 */
import type { AppProjection } from '../../schema/wire/http.ts';
import type { PortalEvent } from '../../schema/wire/events.ts';
import { createRetry } from './retry.ts';
import { createSignal, type Signal } from './signal.ts';
import { sayError } from '../session/say-error.ts';

export interface AppsState {
  readonly apps: readonly AppProjection[];
  readonly loaded: boolean;
  /** Why the last reading failed; null when it didn't. */
  readonly error: string | null;
}

export interface AppsModel {
  readonly state: Signal<AppsState>;
  find(app: string): AppProjection | undefined;
  /** Reads the list again, soon. */
  refresh(): void;
  /** Reads the list now; true when the portal answered a question that was not asked before this call. */
  ask(): Promise<boolean>;
  /** Until the returned function is called, readings tell what apps use of processor and memory. */
  watchUsage(): () => void;
  /** Applies an event; the change is shown at once. */
  apply(event: PortalEvent): void;
}

const gatherMs = 120;

export function createAppsModel(read: (usage: boolean) => Promise<readonly AppProjection[]>): AppsModel {
  const state = createSignal<AppsState>({ apps: [], loaded: false, error: null });
  let timer: ReturnType<typeof setTimeout> | null = null;
  let reading: Promise<void> | null = null;
  let again = false;
  let usageWanted = 0;
  /** Events received since the reading under way began. */
  let heard: PortalEvent[] = [];

  const readOnce = async (): Promise<void> => {
    heard = [];
    try {
      const answer = await read(usageWanted > 0);
      state.set({ apps: answer.map((app) => heard.reduce(patched, app)), loaded: true, error: null });
      retry.succeeded();
    } catch (error) {
      retry.failed(error);
      state.set({ ...state.get(), error: sayError(error) });
    }
    reading = null;
    if (again) {
      again = false;
      refresh();
    }
  };
  const readNow = (): Promise<void> => (reading = readOnce());
  const refresh = (): void => {
    if (reading !== null) again = true;
    else if (!state.get().loaded) void readNow();
    else timer ??= setTimeout(() => ((timer = null), void readNow()), gatherMs);
  };

  const retry = createRetry(refresh);

  return {
    state,
    find: (app) => state.get().apps.find(({ id }) => id === app),
    refresh,
    ask: async () => {
      while (reading !== null) await reading;
      await readNow();
      return state.get().error === null;
    },
    watchUsage: () => {
      usageWanted += 1;
      refresh();
      return () => void (usageWanted -= 1);
    },
    apply: (event) => {
      if (event.type !== 'apps-changed' && !isOfApp(event)) return;
      if (reading !== null) heard.push(event);
      const { apps } = state.get();
      state.set({ ...state.get(), apps: apps.map((app) => patched(app, event)) });
      if (event.type !== 'app-step') refresh();
    },
  };
}

/** Says how an app is. */
const isOfApp = (event: PortalEvent): event is Extract<PortalEvent, { readonly type: 'app-status' | 'app-step' }> =>
  event.type === 'app-status' || event.type === 'app-step';

/** The projection as the event leaves it. */
export function patched(app: AppProjection, event: PortalEvent): AppProjection {
  if (!isOfApp(event) || event.app !== app.id) return app;
  if (event.type === 'app-step') return { ...app, step: { name: event.step, detail: event.detail } };
  const { status, ready, reason, message } = event;
  return { ...app, status, ready, reason, message, step: status === 'starting' ? app.step : null };
}
