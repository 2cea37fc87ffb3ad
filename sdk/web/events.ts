/** Events from the shell to the page, kept until there is a listener; `confirm` is called at the first one that runs. */
const keptEventsMax = 32;
/** Events of which a later listener gets only the last one. */
const lastCounts: ReadonlySet<string> = new Set(['tema', 'mudaram']);

export type Listener = (dados: never) => void;

interface Event {
  readonly dados: unknown;
  readonly confirm: (() => void) | undefined;
}

export interface Events {
  deliver(evento: string, dados: unknown, confirm?: () => void): void;
  /** Answers the function that cancels. */
  on(evento: string, callback: Listener): () => void;
}

export function createEvents(): Events {
  const listeners = new Map<string, Set<Listener>>();
  const kept = new Map<string, Event[]>();
  const run = (callback: Listener, { dados, confirm }: Event): void => {
    try {
      confirm?.();
      callback(dados as never);
    } catch (problem) {
      reportError(problem);
    }
  };
  return {
    deliver: (evento, dados, confirm) => {
      const event = { dados, confirm };
      const callbacks = listeners.get(evento);
      if (!callbacks?.size || evento === 'tema') {
        // An opening that comes before the app listens is not lost.
        kept.set(evento, lastCounts.has(evento) ? [event] : [...(kept.get(evento) ?? []), event].slice(-keptEventsMax));
      }
      for (const callback of callbacks ?? []) run(callback, event);
    },
    on: (evento, callback) => {
      if (typeof callback !== 'function') throw new TypeError('svc.app.ao espera (evento, função)');
      const callbacks = listeners.get(evento) ?? new Set();
      listeners.set(evento, callbacks.add(callback));
      const missed = kept.get(evento) ?? [];
      if (evento !== 'tema') kept.delete(evento);
      // After the caller's own statement, so that it can use what it gets back.
      queueMicrotask(() => missed.forEach((event) => callbacks.has(callback) && run(callback, event)));
      return () => void callbacks.delete(callback);
    },
  };
}
