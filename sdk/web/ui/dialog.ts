/**
 * A modal dialog: the browser's own inside, so the focus goes in, stays in and comes back, and Escape closes it. A press on an element with
 * `data-close` closes it too. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/dialog-modal/
 */
import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { deepActive } from './deep-active.ts';
import { define, KitElement, kitStyles } from './element.ts';
import { glyph } from './glyphs.ts';

const stops =
  'ui-field, ui-select, ui-checkbox, ui-switch, ui-radio-group, ui-button, input, select, textarea, button, a[href], [tabindex="0"]';

class UiDialog extends KitElement implements SvcUiDialog {
  static override properties = {
    label: {},
    hideLabel: { type: Boolean, attribute: 'hide-label' },
    open: { type: Boolean, reflect: true },
    alert: { type: Boolean, reflect: true },
    fixed: { type: Boolean },
    lightDismiss: { type: Boolean, attribute: 'light-dismiss' },
    busy: { type: Boolean },
  };
  label = '';
  hideLabel = false;
  open = false;
  alert = false;
  fixed = false;
  lightDismiss = false;
  busy = false;
  returnValue = '';
  backTo: HTMLElement | null = null;
  /** Makes content that is longer than the window scrollable by the keyboard, where nothing in it takes the focus. */
  readonly #resized = new ResizeObserver(([entry]) => {
    const body = entry!.target;
    const within = [...this.querySelectorAll(stops)].some((each) => each.closest('[slot=actions]') === null);
    if (body.scrollHeight > body.clientHeight && !within) body.setAttribute('tabindex', '0');
    else body.removeAttribute('tabindex');
  });
  /** A press that ends on the veil may have begun in the dialog: text was selected. */
  #beganBeside = false;

  static override styles = [
    kitStyles,
    css`
      :host {
        display: contents;
      }
      dialog {
        inset-block: var(--ui-dialog-top, 0px) var(--ui-dialog-bottom, 0px);
        width: var(--ui-dialog-width, 32rem);
        max-width: calc(100vw - 16px);
        max-height: calc(100dvh - var(--ui-dialog-top, 0px) - var(--ui-dialog-bottom, 0px) - 16px);
        padding: 0;
        border: 1px solid var(--svc-borda);
        border-radius: calc(2 * var(--svc-raio));
        background: var(--svc-alto);
        color: var(--svc-texto);
        box-shadow: var(--svc-sombra);
        overflow: clip;
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
      /* Only read from there: nothing to press. */
      h2:focus,
      dialog:focus {
        outline: none;
      }
      .body {
        flex: 1;
        min-height: 0;
        padding: calc(4 * var(--svc-passo)) calc(5 * var(--svc-passo));
        overflow: auto;
        overflow-wrap: anywhere;
      }
      ::slotted([slot='notice']) {
        flex: none;
        padding: calc(2 * var(--svc-passo)) calc(5 * var(--svc-passo));
        border-block-end: 1px solid var(--svc-borda);
        color: var(--svc-perigo);
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      .actions {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        justify-content: end;
        gap: calc(2 * var(--svc-passo));
        padding: calc(3 * var(--svc-passo)) calc(5 * var(--svc-passo)) calc(4 * var(--svc-passo));
      }
      .actions:not(.filled) {
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
    this.backTo = opener;
    this.open = true;
  }
  /** At once, so that whoever closes it may then give the focus to what it was over. */
  close(returnValue = ''): void {
    this.returnValue = returnValue;
    this.open = false;
    this.#follow();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot?.querySelector('dialog') ?? null;
  }

  override firstUpdated(): void {
    this.#resized.observe(this.renderRoot.querySelector('.body')!);
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('open')) this.#follow();
  }

  #follow(): void {
    const dialog = this.#dialog;
    if (dialog === null || dialog.open === this.open) return;
    if (this.open) {
      this.backTo ??= deepActive();
      dialog.showModal();
      // Elements of the kit in it are drawn by then, also where all of it comes into the page open.
      queueMicrotask(() => dialog.open && this.#begin());
    } else {
      dialog.close();
      this.#ended();
    }
  }

  /** Whoever takes it out of the page hears no event; the focus is given back once that is done, unless somebody took it. */
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    const dialog = this.#dialog;
    if (dialog?.open !== true) return;
    dialog.open = false;
    this.open = false;
    const { backTo } = this;
    this.backTo = null;
    queueMicrotask(() => {
      if (deepActive() === document.body && backTo?.isConnected === true) backTo.focus();
    });
  }

  #ended(): void {
    const { backTo } = this;
    this.backTo = null;
    if (backTo?.isConnected === true) backTo.focus();
    this.emit('close', { returnValue: this.returnValue }, { bubbles: false });
  }

  /** At its title, from where it is read. */
  override focus(options?: FocusOptions): void {
    const dialog = this.#dialog;
    (dialog?.querySelector('h2') ?? dialog)?.focus(options);
  }

  /** Where the page says `autofocus`; else the first thing to press or to fill in; the title where there is none. */
  #begin(): void {
    const wanted = this.autofocus ? null : (this.querySelector<HTMLElement>('[autofocus]') ?? this.querySelector<HTMLElement>(stops));
    (wanted ?? this).focus();
  }

  #cancelled(event: Event, by: SvcUiDialogEvents['cancel']['detail']['by']): void {
    event.preventDefault();
    if (!this.fixed && !this.busy && this.emit('cancel', { by }, { bubbles: false, cancelable: true })) this.close();
  }

  #pressed({ target, currentTarget }: Event): void {
    this.#beganBeside = target === currentTarget;
  }

  #clicked(event: Event): void {
    if (this.lightDismiss && this.#beganBeside && event.target === event.currentTarget) this.#cancelled(event, 'press');
  }

  /** By the browser itself: what is closed here is no longer `open` when its event comes. */
  #closed(): void {
    if (!this.open || this.#dialog?.open === true) return;
    this.open = false;
    this.#ended();
  }

  override render(): TemplateResult {
    const named = !this.hideLabel;
    return html`<dialog
      part="dialog"
      role=${this.alert ? 'alertdialog' : nothing}
      tabindex=${named ? nothing : '-1'}
      closedby=${this.fixed || this.busy ? 'none' : nothing}
      aria-label=${named ? nothing : this.label}
      aria-labelledby=${named ? 'title' : nothing}
      aria-describedby=${this.alert ? 'body' : nothing}
      aria-busy=${this.busy ? 'true' : nothing}
      @cancel=${(event: Event) => this.#cancelled(event, 'escape')}
      @close=${() => this.#closed()}
      @pointerdown=${(event: Event) => this.#pressed(event)}
      @click=${(event: Event) => this.#clicked(event)}
    >
      ${named ? this.#header() : nothing}
      <slot name="notice"></slot>
      <div id="body" part="body" class="body"><slot></slot></div>
      <div class="actions" part="footer"><slot name="actions" @slotchange=${(event: Event) => this.#filled(event)}></slot></div>
    </dialog>`;
  }

  #header(): TemplateResult {
    const close = (event: Event): void => this.#cancelled(event, 'button');
    return html`<header part="header">
      <h2 id="title" tabindex="-1">${this.label}</h2>
      ${
        this.fixed
          ? nothing
          : html`<button class="icon" type="button" aria-label=${this.word('close')} @click=${close}>${glyph('close')}</button>`
      }
    </header>`;
  }

  #filled(event: Event): void {
    const slot = event.target as HTMLSlotElement;
    slot.parentElement?.classList.toggle('filled', slot.assignedElements().length > 0);
  }
}

define('ui-dialog', UiDialog);
