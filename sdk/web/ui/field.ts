/** A field for text, numbers, dates and passwords, of one line or of several, with its label, a hint and what is wrong. */
import { css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { submitterOf } from './button.ts';
import { define } from './element.ts';
import { controlStyles, FormControl } from './form-control.ts';
import { glyph } from './glyphs.ts';

export class UiField extends FormControl implements SvcUiField {
  static override properties: PropertyDeclarations = {
    type: {},
    initial: { attribute: 'value' },
    current: { state: true },
    placeholder: {},
    readonly: { type: Boolean },
    minlength: { type: Number },
    maxlength: { type: Number },
    min: {},
    max: {},
    step: {},
    pattern: {},
    rows: { type: Number },
    autocomplete: {},
    revealed: { state: true },
  };
  type = 'text';
  initial = '';
  protected current: string | null = null;
  placeholder = '';
  readonly = false;
  minlength: number | undefined;
  maxlength: number | undefined;
  min: string | undefined;
  max: string | undefined;
  step: string | undefined;
  pattern: string | undefined;
  rows = 3;
  autocomplete: string | undefined;
  protected revealed = false;

  static override styles = [
    controlStyles,
    css`
      .row {
        position: relative;
        display: flex;
        align-items: center;
        gap: calc(2 * var(--svc-passo));
      }
      .row .control {
        flex: 1;
        min-width: 0;
      }
      textarea {
        display: block;
        resize: vertical;
        line-height: 1.4;
      }
      .row.search .control {
        padding-inline-start: calc(9 * var(--svc-passo));
      }
      .control:placeholder-shown::-webkit-search-cancel-button {
        display: none;
      }
      .search > svg {
        position: absolute;
        inset-inline-start: calc(2.5 * var(--svc-passo));
        color: var(--svc-texto-fraco);
        pointer-events: none;
      }
      .row.password .control {
        padding-inline-end: var(--svc-controle);
      }
      .eye {
        position: absolute;
        inset-inline-end: 0;
      }
      .eye[aria-pressed='true'] {
        color: var(--svc-acento);
      }
    `,
  ];

  get value(): string {
    return this.current ?? this.initial;
  }
  set value(value: string) {
    this.current = value;
    const inner = this.inner();
    if (inner !== null && inner.value !== value) inner.value = value;
    this.sync();
  }
  /** NaN where the field holds no number. */
  get valueAsNumber(): number {
    return this.value.trim() === '' ? Number.NaN : Number(this.value);
  }

  select(): void {
    this.inner()?.select();
  }
  setSelectionRange(start: number, end: number): void {
    this.inner()?.setSelectionRange(start, end);
  }

  protected override inner(): HTMLInputElement | HTMLTextAreaElement | null {
    return this.renderRoot?.querySelector<HTMLInputElement | HTMLTextAreaElement>('#control') ?? null;
  }
  protected override formValue(): string {
    return this.value;
  }
  protected override state(): string | null {
    // A password is not written down by the browser.
    return this.type === 'password' ? null : this.value;
  }
  protected override isChanged(): boolean {
    return this.current !== null;
  }
  protected override restore(state: string | null): void {
    this.current = state;
    const inner = this.inner();
    if (inner !== null) inner.value = this.value;
    this.sync();
  }

  /** Typed since the last `change`. */
  #unsaid = false;

  #typed(event: Event): void {
    this.current = (event.target as HTMLInputElement).value;
    this.#unsaid = true;
    this.sync();
  }

  #said(): void {
    if (!this.#unsaid) return;
    this.#unsaid = false;
    this.changed();
  }

  /** Enter in a field of one line sends the form, as it does in the browser's own. */
  #key(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.isComposing || event.defaultPrevented) return;
    const { form } = this;
    if (form === null) return;
    event.preventDefault();
    this.touched = true;
    this.#said();
    const button = submitterOf(form);
    if (button === undefined) form.requestSubmit();
    else button.click();
  }

  override render(): TemplateResult {
    return this.framed(this.type === 'textarea' ? this.#area() : html`<div class="row ${this.type}">${this.#line()}</div>`);
  }

  #area(): TemplateResult {
    return html`<textarea
      id="control"
      part="control"
      class="control"
      rows=${this.rows}
      .value=${this.value}
      placeholder=${this.placeholder}
      ?required=${this.required}
      ?disabled=${this.off}
      ?readonly=${this.readonly}
      minlength=${ifDefined(this.minlength)}
      maxlength=${ifDefined(this.maxlength)}
      aria-label=${this.spoken}
      aria-invalid=${this.problem === '' ? nothing : 'true'}
      aria-describedby=${this.described}
      @input=${(event: Event) => this.#typed(event)}
      @change=${() => this.#said()}
    ></textarea>`;
  }

  #line(): TemplateResult {
    const password = this.type === 'password';
    return html`<slot name="start"></slot>${this.type === 'search' ? glyph('search', 18) : nothing}<input
        id="control"
        part="control"
        class="control"
        type=${password && this.revealed ? 'text' : this.type}
        .value=${this.value}
        placeholder=${this.placeholder}
        ?required=${this.required}
        ?disabled=${this.off}
        ?readonly=${this.readonly}
        minlength=${ifDefined(this.minlength)}
        maxlength=${ifDefined(this.maxlength)}
        min=${ifDefined(this.min)}
        max=${ifDefined(this.max)}
        step=${ifDefined(this.step)}
        pattern=${ifDefined(this.pattern)}
        autocomplete=${ifDefined(this.autocomplete)}
        inputmode=${this.inputMode || nothing}
        enterkeyhint=${this.enterKeyHint || nothing}
        spellcheck=${password || !this.spellcheck ? 'false' : nothing}
        aria-label=${this.spoken}
        aria-invalid=${this.problem === '' ? nothing : 'true'}
        aria-describedby=${this.described}
        @input=${(event: Event) => this.#typed(event)}
        @change=${() => this.#said()}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
      />${password ? this.#eye() : nothing}<slot name="end"></slot>`;
  }

  #eye(): TemplateResult {
    return html`<button
      class="icon eye"
      type="button"
      ?disabled=${this.off}
      aria-label=${this.word(this.revealed ? 'hidePassword' : 'showPassword')}
      aria-pressed=${this.revealed}
      @click=${() => (this.revealed = !this.revealed)}
    >
      ${glyph('eye')}
    </button>`;
  }
}

define('ui-field', UiField);
