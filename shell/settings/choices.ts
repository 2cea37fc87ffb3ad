/** The pieces that sections of Settings are made of: a choice of one, and a row with its buttons. */
import { html, nothing, type TemplateResult } from 'lit';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
  /** Classes of a picture of it. */
  readonly sample?: string;
}

/** One of a few, as radio buttons. */
export function oneOfFew<Value extends string>(
  name: string,
  legend: string,
  choices: readonly Choice<Value>[],
  chosen: Value,
  choose: (value: Value) => void,
): TemplateResult {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${choices.map(
      ({ value, label, hint, sample }) =>
        html`<label class="choice">
          <input type="radio" name=${name} .value=${value} .checked=${value === chosen} @change=${() => choose(value)} />
          ${sample === undefined ? nothing : html`<i class="sample ${sample}" aria-hidden="true"></i>`}
          <span>${label}${hint === undefined ? nothing : html`<small>${hint}</small>`}</span>
        </label>`,
    )}
  </fieldset>`;
}

/** One of several apps, or what holds without a choice. `name` says in words what a label with a picture is about. */
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
    <select
      class="field"
      data-key=${key}
      aria-label=${name ?? nothing}
      @change=${(event: Event) => choose((event.currentTarget as HTMLSelectElement).value)}
    >
      ${apps.map(({ value, label }) => html`<option value=${value} ?selected=${value === chosen} .selected=${value === chosen}>${label}</option>`)}
    </select>
  </label>`;
}

/** `key` finds the row again, in tests and for the keyboard. */
export function row(key: string, name: string, facts: readonly string[], buttons: unknown): TemplateResult {
  return html`<li class="row" data-key=${key}>
    <div class="what">
      <strong>${name}</strong>
      ${facts.filter((fact) => fact !== '').map((fact) => html`<p>${fact}</p>`)}
    </div>
    <div class="buttons">${buttons}</div>
  </li>`;
}

export const none = (words: string): TemplateResult => html`<p class="quiet">${words}</p>`;
