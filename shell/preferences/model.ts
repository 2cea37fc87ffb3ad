/**
 * What the person chose, as the portal keeps it. A change is shown at once and sent; what the portal answers is what stays. The event
 * `preferencias` only asks for another reading. Decision: docs/decisions/0202-preferences.md
 */
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { Preferences, PreferencesPatch } from '../../schema/wire/preferences.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';

export interface PreferencesNow {
  readonly etag: string;
  readonly value: Preferences;
}

export interface PreferencesPortal {
  read(): Promise<PreferencesNow>;
  change(patch: PreferencesPatch): Promise<PreferencesNow>;
}

export interface PreferencesModel {
  /** Null until the portal answered. */
  readonly state: Signal<Preferences | null>;
  /** Resolves when the portal took it; rejects with why not, and what was chosen before is shown again. */
  change(patch: PreferencesPatch): Promise<void>;
  refresh(): void;
  apply(event: PortalEvent): void;
}

export function createPreferencesModel(portal: PreferencesPortal): PreferencesModel {
  const state = createSignal<Preferences | null>(null);
  let etag = '';
  let changing = 0;
  const take = (now: PreferencesNow): void => {
    retry.succeeded();
    etag = now.etag;
    state.set(now.value);
  };
  const refresh = async (): Promise<void> => {
    try {
      const now = await portal.read();
      // The answer to a change that is under way is newer.
      if (changing === 0) take(now);
    } catch (error) {
      retry.failed(error);
    }
  };
  const retry = createRetry(() => void refresh());
  return {
    state,
    refresh: () => void refresh(),
    apply: (event) => {
      if (event.type === 'preferencias' && event.etag !== etag && changing === 0) void refresh();
    },
    change: async (patch) => {
      changing += 1;
      const before = state.get();
      state.set({ ...before, ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null && !isTable(value))) });
      try {
        const now = await portal.change(patch);
        changing -= 1;
        if (changing === 0) take(now);
      } catch (error) {
        changing -= 1;
        if (changing === 0) state.set(before);
        throw error;
      }
    },
  };
}

/** Merged by the portal: what comes of it is not guessed here. */
const isTable = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);
