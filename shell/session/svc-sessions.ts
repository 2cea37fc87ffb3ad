/** The dialog that says where the person is signed in. */
import { css, html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { dialogStyles } from '../ui/dialog-styles.ts';
import { glyph } from '../ui/glyphs.ts';
import { showDialog } from '../ui/show-dialog.ts';
import './svc-session-list.ts';

export class SvcSessions extends LitElement {
  static override properties = { close: { attribute: false } };
  declare close: () => void;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.close = () => {};
  }

  static override styles = [
    base,
    dialogStyles,
    css`
      dialog {
        width: min(560px, 100vw - 24px);
        max-height: calc(var(--screen) - 24px);
      }
      svc-session-list {
        display: block;
        padding: 4px 20px 20px;
      }
    `,
  ];

  override firstUpdated(): void {
    void this.#watch;
    showDialog(this.renderRoot.querySelector('dialog'));
  }

  override render(): TemplateResult {
    return html`<dialog aria-labelledby="title" @close=${() => this.close()}>
      <header>
        <h2 id="title">${text('sessions.title')}</h2>
        <ui-button icon variant="quiet" autofocus label=${text('dialog.close')} @click=${() => this.close()}> ${glyph('close')} </ui-button>
      </header>
      <svc-session-list></svc-session-list>
    </dialog>`;
  }
}

customElements.define('svc-sessions', SvcSessions);
