/** A button, or with `href` a link that looks like one. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/button/ */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles } from './element.ts';

interface Opening {
  openFrom(opener: HTMLElement): void;
}

const submitters = 'ui-button[type=submit], button:not([type]), button[type=submit], input[type=submit], input[type=image]';

/** The button that Enter in a field presses; undefined: the form has none. */
export const submitterOf = (form: HTMLFormElement | null): HTMLElement | undefined =>
  [...(form?.elements ?? [])].find((each): each is HTMLElement => each.matches(submitters));

export class UiButton extends KitElement implements SvcUiButton {
  static readonly formAssociated = true;
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static override properties = {
    variant: { reflect: true },
    type: { reflect: true },
    name: {},
    value: {},
    href: {},
    target: {},
    download: {},
    label: {},
    description: {},
    icon: { type: Boolean, reflect: true },
    busy: { type: Boolean, reflect: true },
    disabled: { type: Boolean, reflect: true },
    pressed: {},
    expanded: {},
    haspopup: {},
    opens: {},
    tabStop: { attribute: false },
    formDisabled: { state: true },
  };
  variant: 'plain' | 'primary' | 'danger' | 'quiet' = 'plain';
  type: 'button' | 'submit' | 'reset' = 'button';
  name = '';
  value = '';
  href = '';
  target = '';
  download: string | null = null;
  label = '';
  description = '';
  icon = false;
  busy = false;
  disabled = false;
  pressed: 'true' | 'false' | 'mixed' | null = null;
  expanded: 'true' | 'false' | null = null;
  haspopup: 'menu' | 'dialog' | null = null;
  opens = '';
  /** False: reached by the arrows of a toolbar, not by Tab. */
  tabStop = true;
  protected formDisabled = false;
  readonly #internals: ElementInternals = this.attachInternals();
  #left = new AbortController();

  static override styles = [
    kitStyles,
    css`
      :host {
        display: inline-flex;
        max-width: 100%;
      }
      .button {
        display: inline-flex;
        align-items: center;
        justify-content: center;
        gap: calc(2 * var(--svc-passo));
        width: 100%;
        min-width: 0;
        min-height: var(--svc-controle);
        padding: var(--svc-passo) calc(4 * var(--svc-passo));
        border: 1px solid var(--svc-borda-campo);
        border-radius: var(--svc-raio);
        background: var(--svc-superficie);
        color: var(--svc-texto);
        font-weight: 500;
        text-decoration: none;
        cursor: pointer;
        overflow-wrap: anywhere;
        touch-action: manipulation;
        transition: background-color var(--svc-tempo);
      }
      .button:hover {
        background: var(--svc-superficie-alta);
      }
      .button[aria-pressed='true'],
      .button[aria-expanded='true'] {
        border-color: var(--svc-acento);
        background: var(--svc-selecao);
      }
      :host([icon]) .button {
        width: var(--svc-controle);
        padding: 0;
      }
      :host([variant='primary']) .button {
        border-color: transparent;
        background: var(--svc-acento);
        color: var(--svc-sobre-acento);
      }
      :host([variant='primary']) .button:hover {
        background: var(--svc-acento-forte);
      }
      :host([variant='danger']) .button {
        border-color: transparent;
        background: var(--svc-perigo);
        color: var(--svc-sobre-perigo);
      }
      :host([variant='danger']) .button:hover {
        background: var(--svc-perigo-forte);
      }
      :host([variant='quiet']) .button:not([aria-pressed='true']) {
        border-color: transparent;
        background: transparent;
      }
      :host([icon][variant='quiet']) .button {
        color: var(--ui-button-ink, var(--svc-texto-fraco));
      }
      :host([icon][variant='quiet']) .button:hover,
      :host([icon][variant='quiet']) .button[aria-pressed='true'] {
        color: var(--ui-button-ink, var(--svc-texto));
      }
      :host([variant='quiet']) .button:hover {
        background: var(--svc-superficie-alta);
      }
      .button:disabled,
      .button[aria-disabled='true'] {
        opacity: 0.55;
        cursor: not-allowed;
      }
      .ring {
        flex: none;
        width: 1em;
        height: 1em;
        border: 2px solid currentcolor;
        border-right-color: transparent;
        border-radius: 50%;
        animation: turn 900ms linear infinite;
      }
      @media (prefers-reduced-motion: reduce) {
        .ring {
          animation-duration: 4s;
        }
      }
      @media (forced-colors: active) {
        .button[aria-pressed='true'] {
          outline: 2px solid Highlight;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.addEventListener('click', (event) => this.#clicked(event));
  }

  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }

  /** Presses the inner button or link: a link is followed, a disabled button stays quiet. */
  override click(): void {
    this.renderRoot.querySelector<HTMLElement>('.button')?.click();
  }

  /** Enter in a field of the form presses its first button that sends it, which for the browser none of ours is. */
  formAssociatedCallback(form: HTMLFormElement | null): void {
    this.#left.abort();
    this.#left = new AbortController();
    form?.addEventListener('keydown', (event) => this.#entered(event), { signal: this.#left.signal });
  }

  #entered(event: KeyboardEvent): void {
    // Also in the browser's own control within one of the kit.
    const [field] = event.composedPath();
    if (event.key !== 'Enter' || event.isComposing || event.defaultPrevented || !(field instanceof HTMLInputElement)) return;
    if (/^(?:button|submit|reset|image|file|color)$/.test(field.type) || submitterOf(this.form) !== this) return;
    event.preventDefault();
    this.click();
  }

  formDisabledCallback(disabled: boolean): void {
    this.formDisabled = disabled;
  }

  get #off(): boolean {
    return this.disabled || this.formDisabled;
  }

  #clicked(event: MouseEvent): void {
    if (this.#off || this.busy) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const root = this.getRootNode() as Document | ShadowRoot;
    const opened: (HTMLElement & Partial<Opening>) | null = this.opens === '' ? null : root.getElementById(this.opens);
    opened?.openFrom?.(this);
    // After whoever hears of the press: it may say no.
    queueMicrotask(() => {
      if (!event.defaultPrevented) this.#actOnForm();
    });
  }

  #actOnForm(): void {
    const { form } = this;
    if (this.type === 'reset') form?.reset();
    if (this.type !== 'submit' || form === null) return;
    // The button that was pressed sends its value, the others don't.
    this.#internals.setFormValue(this.name === '' ? null : this.value);
    form.requestSubmit();
    this.#internals.setFormValue(null);
  }

  override render(): TemplateResult {
    const inside = html`${this.busy ? html`<span class="ring" aria-hidden="true"></span><span class="hidden">${this.word('busy')}</span>` : nothing}
      <slot name="start"></slot><slot></slot><slot name="end"></slot>`;
    const label = this.label || nothing;
    const tab = this.tabStop ? nothing : -1;
    if (this.href !== '' && !this.#off)
      return html`<a
        class="button"
        part="button"
        href=${this.href}
        target=${this.target || nothing}
        rel=${this.target === '_blank' ? 'noopener noreferrer' : nothing}
        download=${this.download ?? nothing}
        aria-label=${label}
        tabindex=${tab}
        >${inside}</a
      >`;
    return html`<button
      class="button"
      part="button"
      type="button"
      ?disabled=${this.#off}
      aria-disabled=${this.busy ? 'true' : nothing}
      aria-label=${label}
      aria-description=${this.description || nothing}
      aria-pressed=${this.pressed ?? nothing}
      aria-expanded=${this.expanded ?? nothing}
      aria-haspopup=${this.haspopup ?? nothing}
      tabindex=${tab}
    >
      ${inside}
    </button>`;
  }
}

define('ui-button', UiButton);
