/** Yes or no: `ui-checkbox` within a form, `ui-switch` for what takes effect at once. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/switch/ */
import { css, html, nothing, type CSSResultGroup, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { define } from './element.ts';
import { controlStyles, FormControl } from './form-control.ts';
import { tickStyles } from './tick-styles.ts';
import type { WordKey } from './words.ts';

export class UiCheckbox extends FormControl implements SvcUiCheckbox {
  static override properties: PropertyDeclarations = {
    value: {},
    initial: { type: Boolean, attribute: 'checked' },
    current: { state: true },
    indeterminate: { type: Boolean },
  };
  value = 'on';
  initial = false;
  protected current: boolean | null = null;
  indeterminate = false;

  static override styles: CSSResultGroup = [controlStyles, tickStyles];

  get checked(): boolean {
    return this.current ?? this.initial;
  }
  set checked(checked: boolean) {
    this.current = checked;
    this.#show();
    this.sync();
  }

  #show(): void {
    const inner = this.inner();
    if (inner === null) return;
    inner.checked = this.checked;
    inner.indeterminate = this.indeterminate;
  }

  protected override inner(): HTMLInputElement | null {
    return this.renderRoot?.querySelector('input') ?? null;
  }
  protected override formValue(): string | null {
    return this.checked ? this.value : null;
  }
  protected override state(): string {
    return String(this.checked);
  }
  protected override restore(state: string | null): void {
    this.current = state === null ? null : state === 'true';
    this.#show();
    this.sync();
  }
  protected override isChanged(): boolean {
    return this.current !== null;
  }
  protected override missing(): WordKey {
    return 'checkMissing';
  }

  override updated(changed: PropertyValues): void {
    this.#show();
    super.updated(changed);
  }

  #pressed(event: Event): void {
    this.indeterminate = false;
    this.current = (event.target as HTMLInputElement).checked;
    this.touched = true;
    this.sync();
    this.changed();
  }

  protected isSwitch(): boolean {
    return false;
  }

  override render(): TemplateResult {
    return html`<label class="tick" part="label">
        <input
          id="control"
          part="control"
          type="checkbox"
          role=${this.isSwitch() ? 'switch' : nothing}
          ?required=${this.required}
          ?disabled=${this.off}
          aria-label=${this.#named() ? nothing : this.spoken}
          aria-invalid=${this.problem === '' ? nothing : 'true'}
          aria-describedby=${this.described}
          @change=${(event: Event) => this.#pressed(event)}
        />
        <span class="words ${this.hideLabel ? 'hidden' : ''}"
          ><slot @slotchange=${() => this.requestUpdate()}>${this.label}</slot>${
            this.required ? html`<span class="star" aria-hidden="true"> *</span>` : nothing
          }</span
        >
      </label>
      ${this.notes()}`;
  }

  #named(): boolean {
    return this.label !== '' || (this.textContent ?? '').trim() !== '';
  }
}

class UiSwitch extends UiCheckbox {
  static override styles = [
    UiCheckbox.styles,
    css`
      .tick input {
        position: relative;
        width: 2.4em;
        height: 1.4em;
        margin: 0;
        border: 1px solid var(--svc-borda-campo);
        border-radius: 1em;
        background: var(--svc-superficie-alta);
        appearance: none;
        transition: background-color var(--svc-tempo);
      }
      .tick input::after {
        position: absolute;
        inset-block-start: calc(50% - 0.45em);
        inset-inline-start: 0.2em;
        width: 0.9em;
        height: 0.9em;
        border-radius: 50%;
        background: var(--svc-borda-campo);
        content: '';
        transition: inset-inline-start var(--svc-tempo);
      }
      .tick input:checked {
        border-color: transparent;
        background: var(--svc-acento);
      }
      .tick input:checked::after {
        inset-inline-start: calc(100% - 1.1em);
        background: var(--svc-sobre-acento);
      }
      .tick input:disabled {
        opacity: 0.55;
      }
      @media (forced-colors: active) {
        .tick input {
          border-color: ButtonText;
        }
        .tick input::after {
          background: ButtonText;
          forced-color-adjust: none;
        }
        .tick input:checked {
          background: Highlight;
          forced-color-adjust: none;
        }
        .tick input:checked::after {
          background: HighlightText;
        }
      }
    `,
  ];

  protected override isSwitch(): boolean {
    return true;
  }
}

define('ui-checkbox', UiCheckbox);
define('ui-switch', UiSwitch);
