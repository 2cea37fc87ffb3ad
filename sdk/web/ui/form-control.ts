/**
 * Base of the form controls. Each is form-associated: it takes part in the `<form>` around it (FormData, validity, reset, restore, a
 * disabled fieldset, `<label for>`). The inner element is the browser's own control, so that the keyboard, the screen reader and the phone
 * know it. An error is shown below the control, in the language of the page, once the person was there or the form was sent.
 */
import { css, html, LitElement, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { controlLook } from './control-look.ts';
import { KitElement, kitStyles } from './element.ts';
import type { WordKey } from './words.ts';

type Native = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export abstract class FormControl extends KitElement {
  static readonly formAssociated = true;
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static override properties: PropertyDeclarations = {
    name: { reflect: true },
    label: {},
    hint: {},
    error: {},
    hideLabel: { type: Boolean, attribute: 'hide-label' },
    required: { type: Boolean, reflect: true },
    disabled: { type: Boolean, reflect: true },
    formDisabled: { state: true },
    touched: { state: true },
    asked: { state: true },
  };
  name = '';
  label = '';
  hint = '';
  error = '';
  hideLabel = false;
  required = false;
  disabled = false;
  protected formDisabled = false;
  /** Whether errors are shown from now on. */
  protected touched = false;
  /** The text given to setCustomValidity. */
  protected asked = '';
  protected readonly internals: ElementInternals = this.attachInternals();

  #told = false;

  constructor() {
    super();
    this.addEventListener('invalid', (event) => this.#refused(event));
    this.addEventListener('focusout', () => {
      // A control left unchanged shows no error before the form is sent.
      if (this.isChanged()) this.touched = true;
    });
  }

  get form(): HTMLFormElement | null {
    return this.internals.form;
  }
  get labels(): NodeList {
    return this.internals.labels;
  }
  get validity(): ValidityState {
    return this.internals.validity;
  }
  get validationMessage(): string {
    return this.internals.validationMessage;
  }
  get willValidate(): boolean {
    return this.internals.willValidate;
  }
  checkValidity(): boolean {
    return this.internals.checkValidity();
  }
  reportValidity(): boolean {
    return this.internals.reportValidity();
  }
  setCustomValidity(message: string): void {
    this.asked = message;
    this.sync();
  }

  formDisabledCallback(disabled: boolean): void {
    this.formDisabled = disabled;
  }
  formResetCallback(): void {
    this.touched = false;
    this.restore(null);
  }
  formStateRestoreCallback(state: string | File | FormData | null): void {
    if (typeof state === 'string') this.restore(state);
  }

  /** The browser's own control; null before the first drawing. */
  protected abstract inner(): Native | null;
  /** Value that a form sends; null: nothing. */
  protected abstract formValue(): string | null;
  /** Takes what `state()` said, or with null what the page gave at the beginning. */
  protected abstract restore(state: string | null): void;
  protected abstract isChanged(): boolean;
  /** State that the browser keeps over a reload. */
  protected state(): string | null {
    return this.formValue();
  }
  protected missing(): WordKey {
    return 'valueMissing';
  }

  protected get off(): boolean {
    return this.disabled || this.formDisabled;
  }

  /** Tells the form at once, not with the next drawing: who sets a value and sends the form in the same turn sends that value. */
  protected sync(): void {
    this.internals.setFormValue(this.formValue(), this.state());
    const inner = this.inner();
    const said = this.error || this.asked;
    const before = this.validationMessage;
    if (said !== '') this.internals.setValidity({ customError: true }, said, inner ?? undefined);
    else if (inner === null || inner.validity.valid) this.internals.setValidity({});
    else this.internals.setValidity(inner.validity, this.#reason(inner), inner);
    if (this.validationMessage !== before) this.requestUpdate();
  }

  #reason(inner: Native): string {
    const { validity } = inner;
    if (validity.valueMissing) return this.word(this.missing());
    if (validity.typeMismatch) return this.word(inner.type === 'email' ? 'email' : 'url');
    const flags = [
      ['tooShort', 'minlength'],
      ['tooLong', 'maxlength'],
      ['rangeUnderflow', 'min'],
      ['rangeOverflow', 'max'],
      ['stepMismatch', 'step'],
    ] as const;
    const found = flags.find(([flag]) => validity[flag]);
    if (found !== undefined) return this.word(found[0], { n: inner.getAttribute(found[1]) ?? '1' });
    return this.word(validity.patternMismatch ? 'patternMismatch' : 'badInput');
  }

  /** Instead of the browser's bubble, which speaks the language of the browser: the words below, and the focus in the first that is wrong. */
  #refused(event: Event): void {
    event.preventDefault();
    this.touched = true;
    const first = [...(this.form?.elements ?? [])].find((each) => each.tagName !== 'FIELDSET' && each.matches(':invalid'));
    if (first === this || first === undefined) this.focus();
  }

  protected override languageChanged(): void {
    super.languageChanged();
    this.sync();
  }

  override updated(changed: PropertyValues): void {
    if (changed.size === 0) return;
    // Any limit may be another one.
    if (this.#told) return this.sync();
    this.#told = true;
    // The browser gives back what it kept while the element is drawn for the first time: it is drawn and told after that.
    queueMicrotask(() => {
      this.requestUpdate();
      this.sync();
    });
  }

  /** Not composed by the browser: the host says it. */
  protected changed(): void {
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }

  protected get problem(): string {
    return this.error || (this.touched ? this.validationMessage : '');
  }

  /** For a control without a label of its own: the words of `<label for>`. */
  protected get spoken(): string | typeof nothing {
    if (this.label !== '') return nothing;
    const words = Array.from(this.labels, (each) => each.textContent?.trim() ?? '').join(' ');
    return words || nothing;
  }

  protected get described(): string | typeof nothing {
    return [this.hint && 'hint', this.problem && 'error'].filter(Boolean).join(' ') || nothing;
  }

  protected get caption(): TemplateResult {
    return html`${this.label}${this.required ? html`<span class="star" aria-hidden="true"> *</span>` : nothing}`;
  }

  protected framed(control: TemplateResult): TemplateResult {
    return html`${
      this.label === ''
        ? nothing
        : html`<label for="control" part="label" class=${this.hideLabel ? 'hidden' : 'label'}>${this.caption}</label>`
    }${control}${this.notes()}`;
  }

  protected notes(): TemplateResult {
    return html`${this.hint === '' ? nothing : html`<p id="hint" part="hint" class="hint">${this.hint}</p>`}
      <p id="error" part="error" class="error" aria-live="polite">${this.problem}</p>`;
  }
}

export const controlStyles = [
  kitStyles,
  css`
    :host {
      display: block;
      min-width: 0;
    }
  `,
  controlLook,
];
