/** A choice of one in a list: the browser's own select inside, so that the keyboard, the screen reader and the phone know it. */
import { css, html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { ChoiceControl } from './choice-control.ts';
import { define } from './element.ts';
import { controlStyles } from './form-control.ts';
import { glyph } from './glyphs.ts';
import type { Option } from './options.ts';

export class UiSelect extends ChoiceControl implements SvcUiSelect {
  static override properties: PropertyDeclarations = { placeholder: {} };
  placeholder: string | null = null;

  static override styles = [
    controlStyles,
    css`
      .row {
        position: relative;
        display: grid;
      }
      select.control {
        padding-inline-end: calc(9 * var(--svc-passo));
        appearance: none;
        cursor: pointer;
        text-overflow: ellipsis;
      }
      svg {
        position: absolute;
        inset-block-start: calc(50% - 9px);
        inset-inline-end: calc(2.5 * var(--svc-passo));
        color: var(--svc-texto-fraco);
        pointer-events: none;
      }
      option,
      optgroup {
        background: var(--svc-superficie);
        color: var(--svc-texto);
      }
    `,
  ];

  protected override inner(): HTMLSelectElement | null {
    return this.renderRoot?.querySelector('select') ?? null;
  }
  protected override fallback(): string {
    return this.#blank ? '' : (this.options.find(({ disabled }) => !disabled)?.value ?? '');
  }
  protected override show(): void {
    const inner = this.inner();
    if (inner !== null) inner.value = this.value;
  }
  protected override formValue(): string {
    return this.value;
  }

  /** Whether nothing chosen is a line of its own. */
  get #blank(): boolean {
    return this.placeholder !== null && !this.options.some(({ value }) => value === '');
  }

  override updated(changed: PropertyValues): void {
    // After the options are drawn: before, the browser's select knows none of them.
    this.show();
    super.updated(changed);
  }

  override render(): TemplateResult {
    return this.framed(
      html`<div class="row">
        <select
          id="control"
          part="control"
          class="control"
          ?required=${this.required}
          ?disabled=${this.off}
          aria-label=${this.spoken}
          aria-invalid=${this.problem === '' ? nothing : 'true'}
          aria-describedby=${this.described}
          @change=${(event: Event) => this.chosen((event.target as HTMLSelectElement).value)}
        >
          ${this.#blank ? html`<option value="">${this.placeholder || this.word('choose')}</option>` : nothing} ${this.#groups()}
        </select>
        ${glyph('down', 18)}
      </div>`,
    );
  }

  #groups(): readonly TemplateResult[] {
    const names = [...new Set(this.options.map(({ group }) => group))];
    return names.map((name) => {
      const lines = this.options.filter(({ group }) => group === name).map(line);
      return name === '' ? html`${lines}` : html`<optgroup label=${name}>${lines}</optgroup>`;
    });
  }
}

const line = ({ value, label, disabled }: Option): TemplateResult => html`<option value=${value} ?disabled=${disabled}>${label}</option>`;

define('ui-select', UiSelect);
