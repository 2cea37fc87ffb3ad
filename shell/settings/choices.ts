/** The pieces that sections of Settings are made of: a choice of one, and a row with its buttons. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/radio-group.ts';
import '../../sdk/web/ui/select.ts';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
  /** Classes of a picture of it. */
  readonly sample?: string;
}

/** A choice of one among a few, as radio buttons. */
export function oneOfFew<Value extends string>(
  name: string,
  legend: string,
  choices: readonly Choice<Value>[],
  chosen: Value,
  choose: (value: Value) => void,
): TemplateResult {
  return html`<ui-radio-group
    name=${name}
    label=${legend}
    .value=${chosen}
    @change=${(event: Event) => choose((event.currentTarget as SvcUiRadioGroup).value as Value)}
  >
    ${choices.map(
      ({ value, label, hint, sample }) =>
        html`<option value=${value} data-hint=${hint ?? nothing}>${label}</option>
          ${sample === undefined ? nothing : html`<i slot=${`start-${value}`} class="sample ${sample}" aria-hidden="true"></i>`}`,
    )}
  </ui-radio-group>`;
}

/** A choice of one among several apps, or of the default. `name` says in words what a label with a picture is about. */
export function oneOfApps(
  label: string | TemplateResult,
  key: string,
  apps: readonly Choice<string>[],
  chosen: string,
  choose: (app: string) => void,
  name?: string,
): TemplateResult {
  return html`<label class="row">
    <span class="what">${label}</span>
    <ui-select
      data-key=${key}
      label=${name ?? nothing}
      hide-label
      .value=${chosen}
      @change=${(event: Event) => choose((event.currentTarget as SvcUiSelect).value)}
    >
      ${apps.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
    </ui-select>
  </label>`;
}

/** `key` finds the row again, in tests and for the keyboard. A fact in words is a line. */
export function row(key: string, name: string, facts: readonly (string | TemplateResult)[], buttons: unknown): TemplateResult {
  return html`<li class="row" data-key=${key}>
    <div class="what">
      <strong>${name}</strong>
      ${facts.filter((fact) => fact !== '').map((fact) => (typeof fact === 'string' ? html`<p>${fact}</p>` : fact))}
    </div>
    <div class="buttons">${buttons}</div>
  </li>`;
}

export const none = (words: string): TemplateResult => html`<p class="quiet">${words}</p>`;
