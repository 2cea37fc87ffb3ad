/** The shell's state is a handful of values that can be watched; elements subscribe through `Watch`. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

export interface Signal<T> {
  get(): T;
  set(next: T): void;
  /** Called after every change. Returns the function that ends it. */
  subscribe(listener: () => void): () => void;
}

/** `set` with the same value notifies no subscriber. */
export function createSignal<T>(initial: T): Signal<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Renders the host again whenever one of the signals changes, while the host is in the document. */
export class Watch implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #signals: () => readonly Pick<Signal<unknown>, 'subscribe'>[];
  #ends: (() => void)[] = [];

  constructor(host: ReactiveControllerHost, signals: () => readonly Pick<Signal<unknown>, 'subscribe'>[]) {
    this.#host = host;
    this.#signals = signals;
    host.addController(this);
  }

  hostConnected(): void {
    this.#ends = this.#signals().map((signal) => signal.subscribe(() => this.#host.requestUpdate()));
  }

  hostDisconnected(): void {
    for (const end of this.#ends) end();
    this.#ends = [];
  }
}
