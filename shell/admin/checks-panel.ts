/** The checks of the portal, as `svc doctor` shows them. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { language, text } from '../i18n/i18n.ts';
import { readChecks } from '../session/admin-api.ts';
import { sayError } from '../session/say-error.ts';
import { Polled } from '../state/polled.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { checkRows } from './check-rows.ts';
import { adminPanelStyles } from './styles.ts';

const refreshMs = 30_000;

export class SvcAdminChecks extends LitElement {
  #watch = new Watch(this, () => [language]);
  #checks = new Polled(this, refreshMs, () => readChecks(language.get()));

  static override styles = [base, adminPanelStyles];

  override firstUpdated(): void {
    void this.#watch;
  }

  override render(): TemplateResult {
    const { value, problem } = this.#checks;
    return html`
      ${problem === null ? nothing : html`<p class="note" role="alert">${glyph('warning')}<span>${sayError(problem)}</span></p>`}
      ${value === null ? html`<p class="quiet" role="status">${problem === null ? text('admin.asking') : ''}</p>` : checkRows(text('admin.checks'), value)}
    `;
  }
}

customElements.define('svc-admin-checks', SvcAdminChecks);
