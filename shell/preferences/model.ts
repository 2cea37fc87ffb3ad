/**
 * Preferences of the person, as the portal keeps them. A change is shown at once, and sent as a change of the last reading: where another
 * page was faster (412), it is applied again on top of what that page wrote. So two pages that change different fields lose nothing; where
 * two give the same field a value, the later one wins; a change that is computed from the current value (a list with one more in it) keeps
 * both. The event `preferencias` only asks for another reading. Decision: docs/decisions/0202-preferences.md
 */
import type { PortalEvent } from '../../schema/wire/events.ts';
import { mergePatch } from '../../schema/wire/merge-patch.ts';
import type { Preferences, PreferencesPatch } from '../../schema/wire/preferences.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';

export interface PreferencesNow {
  readonly etag: string;
  readonly value: Preferences;
}

export interface PreferencesPortal {
  read(): Promise<PreferencesNow>;
  /** Null: what is stored is not what `etag` names. */
  change(patch: PreferencesPatch, etag: string): Promise<PreferencesNow | null>;
}

/** Made of what there is at that moment; null: nothing is to be changed. */
export type PreferencesChange = PreferencesPatch | ((now: Preferences) => PreferencesPatch | null);

export interface PreferencesModel {
  /** Null until the portal answered. */
  readonly state: Signal<Preferences | null>;
  /** Resolves when the portal took it; rejects with why not, and what the portal keeps is shown again. */
  change(change: PreferencesChange): Promise<void>;
  refresh(): void;
  apply(event: PortalEvent): void;
}

/** Pages that all write at the same moment come through one after the other: one of them each time. */
const triesMax = 20;

export function createPreferencesModel(portal: PreferencesPortal): PreferencesModel {
  const state = createSignal<Preferences | null>(null);
  let kept: PreferencesNow | null = null;
  /** In the order in which they were made; the first is on its way. */
  let waiting: readonly PreferencesChange[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const show = (): void => {
    if (kept === null && waiting.length === 0) return;
    state.set(waiting.reduce<Preferences>((now, change) => mergePatch(now, patchOf(change, now) ?? {}) as Preferences, kept?.value ?? {}));
  };
  const take = (now: PreferencesNow): PreferencesNow => {
    retry.succeeded();
    kept = now;
    show();
    return now;
  };
  const read = inOrder(() => portal.read());
  let answers = 0;
  /** ETag that an event reported while changes are on their way: their answers may be older. */
  let heard: string | null = null;
  const refresh = async (): Promise<void> => {
    const before = answers;
    try {
      const now = await read();
      if (now === null) return;
      // The answer to a change came meanwhile: nobody knows which of the two is older.
      if (answers !== before && now.etag !== kept?.etag) return await refresh();
      if (waiting.length > 0) heard = now.etag;
      take(now);
    } catch (error) {
      retry.failed(error);
    }
  };
  const send = async (change: PreferencesChange): Promise<PreferencesNow> => {
    for (let tries = 1; ; tries += 1) {
      const now = kept ?? take(await portal.read());
      const patch = patchOf(change, now.value);
      const answer = patch === null ? now : await portal.change(patch, now.etag);
      if (answer !== null) return answer;
      if (tries === triesMax) throw new Error('other pages change the preferences all the time');
      kept = await portal.read();
    }
  };
  const carryOut = async (change: PreferencesChange): Promise<void> => {
    try {
      kept = await send(change);
      answers += 1;
    } finally {
      waiting = waiting.filter((other) => other !== change);
      show();
      const isNews = waiting.length === 0 && heard !== null && heard !== kept?.etag;
      if (waiting.length === 0) heard = null;
      if (isNews) void refresh();
    }
  };
  const retry = createRetry(() => void refresh());
  return {
    state,
    refresh: () => void refresh(),
    apply: (event) => {
      if (event.type !== 'preferencias' || event.etag === kept?.etag) return;
      if (waiting.length > 0) heard = event.etag;
      else void refresh();
    },
    change: (change) => {
      waiting = [...waiting, change];
      show();
      const sent = last.then(async () => await carryOut(change));
      last = sent.catch(() => undefined);
      return sent;
    },
  };
}

/** Null: a reading that began later came first. */
function inOrder<T>(read: () => Promise<T>): () => Promise<T | null> {
  let begun = 0;
  let newest = 0;
  return async () => {
    begun += 1;
    const mine = begun;
    const now = await read();
    if (mine < newest) return null;
    newest = mine;
    return now;
  };
}

const patchOf = (change: PreferencesChange, now: Preferences): PreferencesPatch | null =>
  typeof change === 'function' ? change(now) : change;
