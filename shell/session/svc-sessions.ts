/** The dialog that says where the person is signed in. */
import { css, html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/dialog.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import './svc-session-list.ts';

export class SvcSessions extends LitElement {
  static override properties = { close: { attribute: false } };
  declare close: () => void;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.close = () => {};
  }

  static override styles = css`
    ui-dialog {
      --ui-dialog-width: 560px;
    }
  `;

  override firstUpdated(): void {
    void this.#watch;
  }

  override render(): TemplateResult {
    return html`<ui-dialog open autofocus label=${text('sessions.title')} @close=${() => this.close()}>
      <svc-session-list></svc-session-list>
    </ui-dialog>`;
  }
}

customElements.define('svc-sessions', SvcSessions);
