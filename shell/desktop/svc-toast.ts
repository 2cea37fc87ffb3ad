/**
 * What came while the person was at something else (a notice, the removal of an app whose window closes by it): over the windows for ten
 * seconds, longer under the pointer or with the keyboard in it, with the same words for the screen reader. It never takes the focus, is not
 * shown while the bell is open, and a notice stays in the bell. What goes on stays until it is over.
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import type { Desk, Toast } from './desk.ts';

const shownMs = 10_000;

export class SvcToast extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: Desk;
  #watch = new Watch(this, () => [this.desk.toast, language]);
  #shown: Toast | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  static override styles = [
    base,
    css`
      :host {
        position: fixed;
        right: 12px;
        bottom: calc(var(--keyboard) + var(--taskbar) + 12px);
        left: 12px;
        display: flex;
        justify-content: end;
        pointer-events: none;
      }
      .toast {
        display: flex;
        align-items: center;
        gap: 10px;
        max-width: 440px;
        padding: 10px 8px 10px 14px;
        border: 1px solid var(--line-strong);
        border-radius: 12px;
        background: var(--raised);
        box-shadow: var(--shadow-high);
        pointer-events: auto;
        animation: appear 160ms ease-out;
      }
      p {
        flex: 1;
        font-size: 14px;
        overflow-wrap: anywhere;
      }
      .toast > svg,
      button {
        flex: none;
      }
      small {
        display: block;
        color: var(--muted);
        font-size: 13px;
      }
      .spinner {
        flex: none;
        width: 18px;
        height: 18px;
        border: 2px solid var(--muted);
        border-right-color: transparent;
        border-radius: 50%;
        animation: turn 900ms linear infinite;
      }
      @keyframes turn {
        to {
          transform: rotate(1turn);
        }
      }
      @keyframes appear {
        from {
          opacity: 0;
          transform: translateY(8px);
        }
      }
    `,
  ];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  override updated(): void {
    void this.#watch;
    const toast = this.desk.toast.get();
    if (toast === this.#shown) return;
    this.#shown = toast;
    this.#count();
  }

  #count(): void {
    clearTimeout(this.#timer);
    const toast = this.desk.toast.get();
    if (toast !== null && toast.progress === undefined) this.#timer = setTimeout(() => this.#end(), shownMs);
  }

  #wait(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    this.desk.toast.set(null);
  }

  override render(): TemplateResult | typeof nothing {
    const toast = this.desk.toast.get();
    if (toast === null) return nothing;
    const { words, open, progress } = toast;
    return html`<div
      class="toast"
      role="group"
      aria-label=${text('toast.label')}
      @pointerenter=${() => this.#wait()}
      @pointerleave=${() => this.#count()}
      @focusin=${() => this.#wait()}
      @focusout=${() => this.#count()}
      @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && this.#end()}
    >
      ${progress === undefined ? glyph('bell') : html`<span class="spinner" aria-hidden="true"></span>`}
      <p>${words}${progress == null ? nothing : html`<small>${progress}</small>`}</p>
      ${
        open === null
          ? nothing
          : html`<button class="button" type="button" @click=${() => (this.#end(), open())}>${text('toast.open')}</button>`
      }
      <button class="icon-button" type="button" aria-label=${text('toast.dismiss')} @click=${() => this.#end()}>${glyph('close')}</button>
    </div>`;
  }
}

customElements.define('svc-toast', SvcToast);
