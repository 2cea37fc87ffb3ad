/**
 * A modal dialog: the browser's own inside, so the focus goes in, stays in and comes back, and Escape closes it. What is pressed with
 * `data-close` closes it too. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/dialog-modal/
 */
import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { deepActive } from './deep-active.ts';
import { define, KitElement, kitStyles } from './element.ts';
import { glyph } from './glyphs.ts';

class UiDialog extends KitElement implements SvcUiDialog {
  static override properties = {
    label: {},
    open: { type: Boolean, reflect: true },
    alert: { type: Boolean, reflect: true },
    fixed: { type: Boolean },
    busy: { type: Boolean },
  };
  label = '';
  open = false;
  alert = false;
  fixed = false;
  busy = false;
  returnValue = '';
  #backTo: HTMLElement | null = null;

  static override styles = [
    kitStyles,
    css`
      :host {
        display: contents;
      }
      dialog {
        width: var(--ui-dialog-width, 32rem);
        max-width: calc(100vw - 16px);
        max-height: calc(100dvh - 16px);
        padding: 0;
        border: 1px solid var(--svc-borda);
        border-radius: calc(2 * var(--svc-raio));
        background: var(--svc-alto);
        color: var(--svc-texto);
        box-shadow: var(--svc-sombra);
        overflow: hidden;
      }
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      dialog::backdrop {
        background: var(--svc-veu);
      }
      header {
        display: flex;
        flex: none;
        align-items: center;
        justify-content: space-between;
        gap: calc(2 * var(--svc-passo));
        padding: calc(3 * var(--svc-passo));
        padding-inline-start: calc(5 * var(--svc-passo));
        border-block-end: 1px solid var(--svc-borda);
      }
      h2 {
        min-width: 0;
        font-size: 1.0625em;
        overflow-wrap: anywhere;
      }
      h2:focus {
        outline: none;
      }
      .body {
        flex: 1;
        min-height: 0;
        padding: calc(4 * var(--svc-passo)) calc(5 * var(--svc-passo));
        overflow: auto;
        overflow-wrap: anywhere;
      }
      footer {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        justify-content: end;
        gap: calc(2 * var(--svc-passo));
        padding: calc(3 * var(--svc-passo)) calc(5 * var(--svc-passo)) calc(4 * var(--svc-passo));
      }
      footer:not(.filled) {
        display: none;
      }
    `,
  ];

  constructor() {
    super();
    this.addEventListener('click', (event) => {
      const press = event
        .composedPath()
        .find((each): each is HTMLElement => each instanceof HTMLElement && each.dataset['close'] !== undefined);
      if (press !== undefined && press !== this && this.contains(press)) this.close(press.dataset['close']);
    });
  }

  show(): void {
    this.open = true;
  }
  /** For `opens="…"` of a button. */
  openFrom(opener: HTMLElement): void {
    this.#backTo = opener;
    this.open = true;
  }
  close(returnValue = ''): void {
    this.returnValue = returnValue;
    this.open = false;
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  override updated(changed: PropertyValues): void {
    if (!changed.has('open')) return;
    const dialog = this.#dialog;
    if (dialog === null || dialog.open === this.open) return;
    if (!this.open) return dialog.close();
    this.#backTo ??= deepActive();
    dialog.showModal();
    this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#dialog?.open === true) this.#dialog.close();
  }

  /** Where the page says `autofocus`; else the first thing to press or to fill in; the title where there is none. */
  #begin(): void {
    const wanted =
      this.querySelector<HTMLElement>('[autofocus]') ??
      this.querySelector<HTMLElement>(
        'ui-field, ui-select, ui-checkbox, ui-switch, ui-radio-group, input, select, textarea, [slot=actions], button, a[href], [tabindex="0"]',
      );
    (wanted ?? this.renderRoot.querySelector('h2'))?.focus();
  }

  #cancelled(event: Event): void {
    event.preventDefault();
    if (!this.fixed && !this.busy && this.emit('cancel', undefined, { bubbles: false, cancelable: true })) this.close();
  }

  #closed(): void {
    this.open = false;
    const backTo = this.#backTo;
    this.#backTo = null;
    if (backTo?.isConnected === true) backTo.focus();
    this.emit('close', { returnValue: this.returnValue }, { bubbles: false });
  }

  override render(): TemplateResult {
    return html`<dialog
      part="dialog"
      role=${this.alert ? 'alertdialog' : nothing}
      aria-labelledby="title"
      aria-describedby=${this.alert ? 'body' : nothing}
      aria-busy=${this.busy ? 'true' : nothing}
      @cancel=${(event: Event) => this.#cancelled(event)}
      @close=${() => this.#closed()}
    >
      <header part="header">
        <h2 id="title" tabindex="-1">${this.label}</h2>
        ${
          this.fixed
            ? nothing
            : html`<button class="icon" type="button" aria-label=${this.word('close')} @click=${(event: Event) => this.#cancelled(event)}>
                ${glyph('close')}
              </button>`
        }
      </header>
      <div id="body" part="body" class="body"><slot></slot></div>
      <footer part="footer"><slot name="actions" @slotchange=${(event: Event) => this.#filled(event)}></slot></footer>
    </dialog>`;
  }

  #filled(event: Event): void {
    const slot = event.target as HTMLSlotElement;
    slot.parentElement?.classList.toggle('filled', slot.assignedElements().length > 0);
  }
}

define('ui-dialog', UiDialog);
