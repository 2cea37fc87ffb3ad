/**
 * Questions of apps to the person: drawn by the shell over the window that asks, one at a time in a window. A page that asks again and
 * again is refused, so that a window can always be used and closed. Source: rules 7.
 */
import { createSignal, type Signal } from '../state/signal.ts';

export type Question =
  | { readonly kind: 'confirm'; readonly texto: string; readonly sim?: string; readonly nao?: string; readonly perigo?: boolean }
  | { readonly kind: 'ask'; readonly texto: string; readonly valor?: string }
  | { readonly kind: 'choose'; readonly texto: string; readonly entre: readonly string[] }
  | { readonly kind: 'paste' };

export interface Asked {
  readonly question: Question;
  /** Null: put away. */
  readonly answer: (value: boolean | string | null) => void;
}

export interface Questions {
  /** By window. */
  readonly state: Signal<ReadonlyMap<string, Asked>>;
  /** Rejects with `pedidos-demais` while one is open, and after too many. */
  ask(window: string, question: Question, ended: AbortSignal): Promise<boolean | string | null>;
  drop(window: string): void;
}

/** As many one after another, and then one for each of these times. */
const burstMax = 10;
const refillMs = 5_000;

const tooMany = (): Error => Object.assign(new Error('há perguntas demais nesta janela'), { code: 'pedidos-demais' });

export function createQuestions(nowMs: () => number): Questions {
  const state = createSignal<ReadonlyMap<string, Asked>>(new Map());
  const asked = new Map<string, readonly number[]>();
  const put = (window: string, one: Asked | null): void => {
    const now = new Map(state.get());
    now.delete(window);
    state.set(one === null ? now : now.set(window, one));
  };
  return {
    state,
    ask: async (window, question, ended) => {
      const recent = (asked.get(window) ?? []).filter((atMs) => nowMs() - atMs < burstMax * refillMs);
      if (state.get().has(window) || recent.length >= burstMax) throw tooMany();
      asked.set(window, [...recent, nowMs()]);
      return await new Promise((resolve) => {
        const answer: Asked['answer'] = (value) => {
          if (state.get().get(window)?.answer === answer) put(window, null);
          resolve(value);
        };
        ended.addEventListener('abort', () => answer(null), { once: true });
        put(window, { question, answer });
      });
    },
    drop: (window) => void asked.delete(window),
  };
}
