/** Rows of a doctor: those that are not well first, each with what mends it. */
import { html, nothing, type TemplateResult } from 'lit';
import { text } from '../i18n/i18n.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly warning: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

const rank = ({ ok, warning }: Check): number => (ok ? 2 : warning ? 1 : 0);

/** `label`: for the screen reader. */
export function checkRows(label: string, checks: readonly Check[]): TemplateResult {
  const rows = checks.toSorted((a, b) => rank(a) - rank(b));
  return html`<ul aria-label=${label}>
    ${rows.map(
      (check) =>
        html`<li data-check=${check.name}>
          <span class="main"
            ><strong>${check.name}</strong> ${word(check)}
            <p>${check.detail}</p></span
          >
          ${check.ok || check.fix === null ? nothing : html`<span class="wide quiet">${text('admin.mend')} <code>${check.fix}</code></span>`}
        </li>`,
    )}
  </ul>`;
}

const word = (check: Check): TemplateResult =>
  html`<span class=${check.ok || check.warning ? 'quiet' : 'bad'}
    >${text(check.ok ? 'admin.well' : check.warning ? 'admin.warning' : 'admin.unwell')}</span
  >`;
