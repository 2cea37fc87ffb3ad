/**
 * Presses that were meant for a question: those that began while it had been in front, with the keyboard, for half a second without a press. Others were
 * meant for what was there before, or follow a page that has the person press and press. Decisions: docs/decisions/0201-consent.md, 0381-a-yes-is-no-game.md
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { limits } from './limits.ts';
import type { Point } from './place-away.ts';

export class ReadyPress implements ReactiveController {
  ready = false;
  /** Last position of the pointer. */
  last: Point | null = null;
  #pressed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #host: ReactiveControllerHost;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('focus', this.#focused);
    for (const change of ['blur', 'pageshow']) addEventListener(change, this.count);
    document.addEventListener('visibilitychange', this.count);
    this.count();
  }

  hostDisconnected(): void {
    removeEventListener('focus', this.#focused);
    for (const change of ['blur', 'pageshow']) removeEventListener(change, this.count);
    document.removeEventListener('visibilitychange', this.count);
    clearTimeout(this.#timer);
  }

  /** The page of an app had the keyboard, and the press itself brought it here: such a press counts. */
  readonly #focused = (): void => {
    if (!this.#pressed) this.count();
  };

  /** From now, or not at all. */
  readonly count = (): void => {
    clearTimeout(this.#timer);
    this.#set(false);
    this.#pressed = false;
    if (document.visibilityState !== 'visible' || !document.hasFocus()) return;
    this.#timer = setTimeout(() => this.#set(true), limits.questionReadyMs);
  };

  /** For `pointerdown` and `keydown`: one that comes too early, and a key that is held down, make it wait anew. */
  readonly press = (event: Event): void => {
    const isHeld = event instanceof KeyboardEvent && event.repeat;
    if (isHeld) event.preventDefault();
    this.#pressed = this.ready && event.isTrusted && !isHeld;
    if (!this.#pressed) this.count();
    if (event instanceof PointerEvent) this.last = { x: event.clientX, y: event.clientY };
  };

  /** The press that is under way counts. */
  get isMeant(): boolean {
    return this.#pressed;
  }

  /** For `click`: does it once for a press. */
  clicked(act: () => void): void {
    const isMeant = this.ready && this.#pressed;
    this.#pressed = false;
    if (isMeant) act();
  }

  #set(ready: boolean): void {
    if (this.ready === ready) return;
    this.ready = ready;
    this.#host.requestUpdate();
  }
}
