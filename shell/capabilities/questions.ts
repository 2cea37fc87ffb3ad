/**
 * Questions to the person before an app may ask another one: one at a time, and one for all calls that wait for the same answer. A person who
 * closes the same question twice within a minute is not asked it again for a minute. Decision: docs/decisions/0201-consent.md
 */
import type { Offer } from '../session/capabilities-api.ts';
import { limits } from './limits.ts';
import { createSignal, type Signal } from '../state/signal.ts';

export interface Question {
  /** The app that asks. */
  readonly de: string;
  readonly capacidade: string;
  /** With more than one the person chooses. */
  readonly ofertas: readonly Offer[];
}

export type Decision =
  | { readonly kind: 'sim'; readonly para: string; readonly duracao: 'sempre' | 'uma-vez' }
  | { readonly kind: 'nao' }
  /** Closed: no, this time. Nothing is kept. */
  | { readonly kind: 'fechada' };

export interface Questions {
  /** The one to show. */
  readonly shown: Signal<Question | null>;
  /** Rejects with the signal's reason; a question that no call waits for is taken away. */
  ask(question: Question, signal: AbortSignal): Promise<Decision>;
  answer(question: Question, decision: Decision): void;
  /** The waiting questions, the shown one first. */
  open(): readonly Question[];
}

interface Open {
  readonly question: Question;
  readonly decided: PromiseWithResolvers<Decision>;
  waiting: number;
}

const keyOf = ({ de, capacidade, ofertas }: Question): string => [de, capacidade, ...ofertas.map(({ app }) => app)].join(' ');

export function createQuestions(nowMs: () => number): Questions {
  const open = new Map<string, Open>();
  /** When each was closed, within the last minute. */
  const closings = new Map<string, readonly number[]>();
  const shown = createSignal<Question | null>(null);
  const showNext = (): void => shown.set(open.values().next().value?.question ?? null);
  const recent = (key: string): readonly number[] => (closings.get(key) ?? []).filter((atMs) => atMs + limits.questionQuietMs > nowMs());
  const take = (key: string): Open | undefined => {
    const found = open.get(key);
    open.delete(key);
    showNext();
    return found;
  };
  return {
    shown,
    ask: async (question, signal) => {
      signal.throwIfAborted();
      const key = keyOf(question);
      if (recent(key).length > 1) return { kind: 'fechada' };
      const entry = open.get(key) ?? { question, decided: Promise.withResolvers<Decision>(), waiting: 0 };
      open.set(key, entry);
      entry.waiting += 1;
      showNext();
      const left = Promise.withResolvers<never>();
      const leave = (): void => {
        entry.waiting -= 1;
        if (entry.waiting === 0 && open.get(key) === entry) take(key);
        left.reject(signal.reason);
      };
      signal.addEventListener('abort', leave);
      try {
        return await Promise.race([entry.decided.promise, left.promise]);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    open: () => [...open.values()].map(({ question }) => question),
    answer: (question, decision) => {
      const key = keyOf(question);
      if (decision.kind === 'fechada') closings.set(key, [...recent(key), nowMs()]);
      else closings.delete(key);
      take(key)?.decided.resolve(decision);
    },
  };
}
