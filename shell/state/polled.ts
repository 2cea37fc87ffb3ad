/** A value that the portal is asked for again and again while its element is shown and the page is looked at. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

export class Polled<Value> implements ReactiveController {
  /** The newest answer; null until there is one. It stays when a later question fails. */
  value: Value | null = null;
  /** Why the last question failed; null: it did not. */
  problem: unknown = null;
  readonly #host: ReactiveControllerHost;
  readonly #read: () => Promise<Value>;
  readonly #ms: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #reading = false;

  constructor(host: ReactiveControllerHost, ms: number, read: () => Promise<Value>) {
    this.#host = host;
    this.#read = read;
    this.#ms = ms;
    host.addController(this);
  }

  hostConnected(): void {
    void this.ask();
    this.#timer = setInterval(() => document.visibilityState === 'visible' && void this.ask(), this.#ms);
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
  }

  /** Asks now, unless a question is under way. */
  async ask(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      this.value = await this.#read();
      this.problem = null;
    } catch (error) {
      this.problem = error;
    }
    this.#reading = false;
    this.#host.requestUpdate();
  }
}
