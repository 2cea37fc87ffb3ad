/** A choice of one among a few, all of them visible: the browser's own radios inside, with their arrow keys. */
import { css, html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { ChoiceControl } from './choice-control.ts';
import { define } from './element.ts';
import { controlStyles } from './form-control.ts';
import type { Option } from './options.ts';
import { tickStyles } from './tick-styles.ts';

export class UiRadioGroup extends ChoiceControl implements SvcUiRadioGroup {
  static override properties: PropertyDeclarations = { inline: { type: Boolean, reflect: true } };
  inline = false;

  static override styles = [
    controlStyles,
    tickStyles,
    css`
      .group {
        display: flex;
        flex-direction: column;
        min-width: 0;
      }
      .choices {
        display: flex;
        flex-direction: column;
        align-items: start;
      }
      :host([inline]) .choices {
        flex-flow: row wrap;
        column-gap: calc(4 * var(--svc-passo));
      }
    `,
  ];

  #radios(): readonly HTMLInputElement[] {
    return this.renderRoot === undefined ? [] : [...this.renderRoot.querySelectorAll('input')];
  }
  protected override inner(): HTMLInputElement | null {
    const radios = this.#radios();
    return radios.find(({ checked }) => checked) ?? radios.find(({ disabled }) => !disabled) ?? null;
  }
  protected override fallback(): string {
    return '';
  }
  protected override show(): void {
    for (const radio of this.#radios()) radio.checked = radio.value === this.value && this.#isChosen();
  }
  /** An option may have the value '': it is chosen only when the page or the person chose it. */
  #isChosen(): boolean {
    return this.options.some(({ value, selected }) => value === (this.current ?? this.initial) || (selected && this.current === null));
  }
  protected override formValue(): string | null {
    return this.#isChosen() ? this.value : null;
  }

  override updated(changed: PropertyValues): void {
    this.show();
    super.updated(changed);
  }

  override render(): TemplateResult {
    return html`<div
        class="group"
        role="radiogroup"
        aria-labelledby=${this.label === '' ? nothing : 'caption'}
        aria-label=${this.spoken}
        aria-required=${this.required ? 'true' : nothing}
        aria-invalid=${this.problem === '' ? nothing : 'true'}
        aria-describedby=${this.described}
      >
        ${
          this.label === ''
            ? nothing
            : html`<span id="caption" part="label" class=${this.hideLabel ? 'hidden' : 'label'}>${this.caption}</span>`
        }
        <div class="choices">${this.options.map((option) => this.#choice(option))}</div>
      </div>
      ${this.notes()}`;
  }

  #choice({ value, label, hint, disabled }: Option): TemplateResult {
    return html`<label class="tick">
      <input
        type="radio"
        name="choice"
        .value=${value}
        ?required=${this.required}
        ?disabled=${this.off || disabled}
        @change=${() => this.chosen(value)}
      />
      <slot name=${`start-${value}`}></slot>
      <span class="words">${label}${hint === '' ? nothing : html`<small>${hint}</small>`}</span>
    </label>`;
  }
}

define('ui-radio-group', UiRadioGroup);
