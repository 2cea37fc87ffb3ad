/** Over the page of the app that is being written, while something of it is wrong: the first error, and the way to all of it. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { DevDesk } from './model.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { troubleOf } from './model.ts';
import { whyText } from './words.ts';

export class SvcDevStrip extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: DevDesk;
  #watch = new Watch(this, () => [...(this.desk.dev === null ? [] : [this.desk.dev.state]), language]);

  static override styles = [
    base,
    css`
      :host {
        display: block;
        flex: none;
      }
      .trouble {
        display: flex;
        align-items: start;
        flex-wrap: wrap;
        gap: 10px;
        padding: 10px 14px;
        border-bottom: 1px solid var(--line);
        background: var(--surface);
        color: var(--ink);
        font-size: 13px;
      }
      svg {
        color: var(--danger);
      }
      .words {
        flex: 1 1 220px;
        min-width: 0;
      }
      pre {
        margin: 6px 0 0;
        overflow-x: auto;
        font: 12px/1.5 var(--mono);
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override render(): TemplateResult | typeof nothing {
    const trouble = troubleOf(this.desk.dev?.state.get() ?? null);
    if (trouble === null) return nothing;
    return html`<div class="trouble" role="alert">
      ${glyph('warning')}
      <div class="words">
        <strong>${text(trouble.kind === 'manifest' ? 'dev.manifestBad' : `dev.${trouble.kind}`)}</strong>
        <pre tabindex="0" aria-label=${text('dev.error')}>${trouble.kind === 'manifest' ? trouble.text : whyText(trouble.change)}</pre>
      </div>
      <ui-button @click=${() => this.desk.open('@dev')}>${text('dev.details')}</ui-button>
    </div>`;
  }
}

customElements.define('svc-dev-strip', SvcDevStrip);
