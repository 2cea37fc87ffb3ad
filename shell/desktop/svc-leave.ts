/** The question before the person signs out: what is not saved, and that they need a new link to come back. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import { language, listed, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import type { Desk } from './desk.ts';
import { unsavedTitles } from '../windows/unsaved.ts';

export class SvcLeave extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: Desk;
  #watch = new Watch(this, () => [language, this.desk.unsaved.state]);

  override firstUpdated(): void {
    void this.#watch;
  }

  #decide(leaves: boolean): void {
    const { unsaved, leaving } = this.desk;
    const question = leaving.get();
    leaving.set(null);
    if (!leaves) return;
    // The browser asks no second time.
    for (const id of unsaved.state.get().keys()) this.desk.discard(id);
    question?.leave();
  }

  override render(): TemplateResult {
    const { admin, usuario } = this.desk.session;
    const lost = unsavedTitles(this.desk);
    const loses = lost.length > 0;
    const { back } = this.desk.leaving.get() ?? { back: 'own' };
    return html`<ui-dialog open alert label=${text(loses ? 'unsaved.leaveTitle' : 'leave.title')} @close=${() => this.#decide(false)}>
      ${loses ? html`<p>${text('unsaved.lost', { nomes: listed(lost) })}</p>` : nothing}
      ${back === 'own' ? nothing : html`<p>${admin ? text('leave.makesLink', { usuario }) : text('leave.needsLink')}</p>`}
      ${back === 'passkey' ? html`<p>${text('leave.makePasskey')}</p>` : nothing}
      <ui-button slot="actions" autofocus @click=${() => this.#decide(false)}>${text(loses ? 'unsaved.stay' : 'leave.stay')}</ui-button>
      <ui-button slot="actions" variant="danger" @click=${() => this.#decide(true)}>
        ${text(loses ? 'unsaved.leave' : 'prefs.signOut')}
      </ui-button>
    </ui-dialog>`;
  }
}

customElements.define('svc-leave', SvcLeave);
