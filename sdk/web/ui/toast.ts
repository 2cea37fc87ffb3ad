/**
 * Short notices at the edge of the page: `document.querySelector('ui-toast').show('Saved')`. A screen reader says them; they never take the
 * focus, stay while the pointer or the keyboard is on them, and Escape puts one away.
 */
import { css, html, nothing, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles } from './element.ts';
import { glyph } from './glyphs.ts';

const shownMs = 10_000;
/** More at once than anybody reads: the oldest goes. */
const shownMax = 4;

interface Toast {
  readonly id: string;
  readonly words: string;
  readonly detail: string;
  readonly kind: 'info' | 'success' | 'danger' | 'busy';
  readonly action: string;
  readonly durationMs: number;
  readonly run: (() => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}
interface ToastOptions {
  readonly id?: string;
  readonly detail?: string;
  readonly kind?: Toast['kind'];
  readonly action?: string;
  readonly run?: () => void;
  readonly durationMs?: number;
}

class UiToast extends KitElement implements SvcUiToast {
  static override properties = { silent: { type: Boolean }, toasts: { state: true } };
  silent = false;
  protected toasts: readonly Toast[] = [];

  static override styles = [
    kitStyles,
    css`
      :host {
        position: fixed;
        z-index: 30000;
        inset: auto calc(3 * var(--svc-passo)) calc(3 * var(--svc-passo));
        display: flex;
        flex-direction: column;
        align-items: end;
        pointer-events: none;
      }
      .toast {
        display: flex;
        align-items: center;
        gap: calc(2.5 * var(--svc-passo));
        max-width: min(28rem, 100%);
        margin-block-start: calc(2 * var(--svc-passo));
        padding: calc(2 * var(--svc-passo));
        padding-inline-start: calc(3.5 * var(--svc-passo));
        border: 1px solid var(--svc-borda-campo);
        border-radius: calc(1.5 * var(--svc-raio));
        background: var(--svc-alto);
        box-shadow: var(--svc-sombra);
        pointer-events: auto;
        animation: appear var(--svc-tempo) ease-out;
      }
      .toast > svg {
        color: var(--svc-perigo);
      }
      .success > svg {
        color: var(--svc-sucesso);
      }
      p {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      small {
        display: block;
        color: var(--svc-texto-fraco);
      }
      .action {
        flex: none;
        min-height: var(--svc-controle);
        padding: 0 calc(3 * var(--svc-passo));
        border: 1px solid var(--svc-borda-campo);
        border-radius: var(--svc-raio);
        background: transparent;
        cursor: pointer;
      }
      .action:hover {
        background: var(--svc-superficie-alta);
      }
      .ring {
        flex: none;
        width: 18px;
        height: 18px;
        border: 2px solid var(--svc-texto-fraco);
        border-right-color: transparent;
        border-radius: 50%;
        animation: turn 900ms linear infinite;
      }
      @keyframes appear {
        from {
          opacity: 0;
        }
      }
    `,
  ];

  show(words: string, options: ToastOptions = {}): () => void {
    const { id = '', detail = '', kind = 'info', action = '', run, durationMs = kind === 'busy' ? Infinity : shownMs } = options;
    const toast: Toast = { id, words, detail, kind, action, run, durationMs, timer: undefined };
    // A repeated toast keeps its place.
    const known = this.toasts.findIndex((each) => id !== '' && each.id === id);
    const all = (known < 0 ? [...this.toasts, toast] : this.toasts.with(known, toast)).slice(-shownMax);
    for (const old of this.toasts) if (!all.includes(old)) clearTimeout(old.timer);
    this.toasts = all;
    this.#count(toast);
    return () => this.#end(toast);
  }

  #count(toast: Toast): void {
    clearTimeout(toast.timer);
    // A timer can't wait longer than 2^31 ms: then it would not wait at all.
    if (toast.durationMs < 2 ** 31 && this.toasts.includes(toast)) toast.timer = setTimeout(() => this.#end(toast), toast.durationMs);
  }

  #end(toast: Toast): void {
    clearTimeout(toast.timer);
    if (!this.toasts.includes(toast)) return;
    this.toasts = this.toasts.filter((each) => each !== toast);
    this.emit('dismiss', { words: toast.words }, { bubbles: false });
  }

  override render(): TemplateResult {
    // A single region for all, there from the beginning: a screen reader says what is added to it.
    const { silent } = this;
    return html`<div
      role=${silent ? nothing : 'log'}
      aria-live=${silent ? 'off' : 'polite'}
      aria-label=${silent ? nothing : this.word('notices')}
    >
      ${this.toasts.map((toast) => this.#one(toast))}
    </div>`;
  }

  #one(toast: Toast): TemplateResult {
    const { words, detail, kind, action, run } = toast;
    const mark = {
      info: nothing,
      success: glyph('check'),
      danger: glyph('alert'),
      busy: html`<span class="ring" aria-hidden="true"></span>`,
    };
    return html`<div
      class="toast ${kind}"
      part="toast"
      role=${kind === 'danger' && !this.silent ? 'alert' : 'group'}
      aria-label=${this.word('notice')}
      @pointerenter=${() => clearTimeout(toast.timer)}
      @pointerleave=${() => this.#count(toast)}
      @focusin=${() => clearTimeout(toast.timer)}
      @focusout=${() => this.#count(toast)}
      @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && this.#end(toast)}
    >
      ${mark[kind]}
      <p>${words}${detail === '' ? nothing : html`<small>${detail}</small>`}</p>
      ${action === '' ? nothing : html`<button class="action" type="button" @click=${() => (this.#end(toast), run?.())}>${action}</button>`}
      <button class="icon" type="button" aria-label=${this.word('dismiss')} @click=${() => this.#end(toast)}>${glyph('close')}</button>
    </div>`;
  }
}

define('ui-toast', UiToast);
