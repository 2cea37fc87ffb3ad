/**
 * Unsaved work that pages reported for their windows (`janela.naoSalvo`), and the question before it is lost. The desktop draws the
 * question and never waits for the page with it: a window can always be closed. Decision: docs/decisions/0322-what-is-not-saved.md
 */
import { createSignal, type Signal } from '../state/signal.ts';
import type { WindowManager } from './manager.ts';

export interface NotSaved {
  /** Name of the unsaved work, as the page calls it. */
  readonly name: string | null;
  /** The page saves by itself when it is asked to. */
  readonly saves: boolean;
}

export interface Asking {
  /** The act that the person wants on the window. */
  readonly act: 'close' | 'reload' | 'update';
  /** `failed`: the page could not save, or did not say so in time. */
  readonly state: 'asked' | 'saving' | 'failed';
}

export type UnsavedAnswer = 'save' | 'discard' | 'stay';

export interface Unsaved {
  /** By window. */
  readonly state: Signal<ReadonlyMap<string, NotSaved>>;
  readonly asking: Signal<ReadonlyMap<string, Asking>>;
  /** Records the page's report; null: all is saved. */
  say(window: string, what: NotSaved | null): void;
  /** Asks before the act where something is not saved; else it is done at once. */
  before(window: string, act: Asking['act']): void;
  answer(window: string, answer: UnsavedAnswer): void;
  /** The window, or the page in it, is gone. */
  drop(window: string): void;
}

export interface UnsavedActs {
  /** Does it, whatever is not saved. */
  readonly act: (window: string, act: Asking['act']) => void;
  /** Asks the page to save. */
  readonly save: (window: string) => void;
  readonly saveMsMax: number;
}

export function createUnsaved({ act, save, saveMsMax }: UnsavedActs): Unsaved {
  const state = createSignal<ReadonlyMap<string, NotSaved>>(new Map());
  const asking = createSignal<ReadonlyMap<string, Asking>>(new Map());
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const put = <Value>(signal: Signal<ReadonlyMap<string, Value>>, window: string, value: Value | null): void => {
    const now = new Map(signal.get());
    if (value === null ? now.delete(window) : now.set(window, value)) signal.set(now);
  };
  const ask = (window: string, one: Asking | null): void => {
    clearTimeout(timers.get(window));
    timers.delete(window);
    put(asking, window, one);
  };
  const drop = (window: string): void => {
    ask(window, null);
    put(state, window, null);
  };
  const end = (window: string, one: Asking): void => {
    drop(window);
    act(window, one.act);
  };
  const failed = (window: string, one: Asking): void => ask(window, { act: one.act, state: 'failed' });
  return {
    state,
    asking,
    drop,
    say: (window, what) => {
      const asked = asking.get().get(window);
      put(state, window, what);
      if (asked === undefined) return;
      // Saved of itself while it was asked about, too: nothing is lost any more.
      if (what === null) end(window, asked);
      else if (asked.state === 'saving') failed(window, asked);
    },
    before: (window, what) => {
      if (!state.get().has(window)) return act(window, what);
      if (asking.get().get(window)?.state !== 'saving') ask(window, { act: what, state: 'asked' });
    },
    answer: (window, answer) => {
      const asked = asking.get().get(window);
      if (asked === undefined) return;
      if (answer === 'discard') return end(window, asked);
      if (answer === 'stay') return ask(window, null);
      ask(window, { act: asked.act, state: 'saving' });
      timers.set(
        window,
        setTimeout(() => failed(window, asked), saveMsMax),
      );
      save(window);
    },
  };
}

/** Titles of windows that something is not saved in; of one app, or of all. */
export const unsavedTitles = (
  { windows, unsaved }: { readonly windows: WindowManager; readonly unsaved: Unsaved },
  app?: string,
): readonly string[] =>
  windows.windows
    .get()
    .filter((window) => unsaved.state.get().has(window.id) && (app === undefined || window.app === app))
    .map(({ id, options }) => unsaved.state.get().get(id)?.name ?? options.title);
