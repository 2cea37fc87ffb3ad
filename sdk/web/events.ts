/** Events from the shell to the page, kept until there is a listener. */
const keptEventsMax = 32;
/** Of these a later listener gets only the last one. */
const lastCounts: ReadonlySet<string> = new Set(['tema', 'mudaram']);

export type Listener = (dados: never) => void;

export interface Events {
  deliver(evento: string, dados: unknown): void;
  /** Answers the function that cancels. */
  on(evento: string, callback: Listener): () => void;
}

export function createEvents(): Events {
  const listeners = new Map<string, Set<Listener>>();
  const kept = new Map<string, unknown[]>();
  const run = (callback: Listener, dados: unknown): void => {
    try {
      callback(dados as never);
    } catch (problem) {
      reportError(problem);
    }
  };
  return {
    deliver: (evento, dados) => {
      const callbacks = listeners.get(evento);
      if (!callbacks?.size || evento === 'tema') {
        // An opening that comes before the app listens is not lost.
        kept.set(evento, lastCounts.has(evento) ? [dados] : [...(kept.get(evento) ?? []), dados].slice(-keptEventsMax));
      }
      for (const callback of callbacks ?? []) run(callback, dados);
    },
    on: (evento, callback) => {
      if (typeof callback !== 'function') throw new TypeError('svc.app.ao espera (evento, função)');
      const callbacks = listeners.get(evento) ?? new Set();
      listeners.set(evento, callbacks.add(callback));
      const missed = kept.get(evento) ?? [];
      if (evento !== 'tema') kept.delete(evento);
      // After the caller's own statement, so that it can use what it gets back.
      queueMicrotask(() => missed.forEach((dados) => callbacks.has(callback) && run(callback, dados)));
      return () => void callbacks.delete(callback);
    },
  };
}
