/** The question before the person signs out while something is not saved. */
import { html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import { language, listed, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import type { Desk } from './desk.ts';
import { unsavedTitles } from './unsaved-windows.ts';

export class SvcLeave extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: Desk;
  #watch = new Watch(this, () => [language, this.desk.unsaved.state]);

  override firstUpdated(): void {
    void this.#watch;
  }

  #decide(leaves: boolean): void {
    const { unsaved, leaving } = this.desk;
    const leave = leaving.get();
    leaving.set(null);
    if (!leaves) return;
    // The browser asks no second time.
    for (const id of unsaved.state.get().keys()) this.desk.discard(id);
    leave?.();
  }

  override render(): TemplateResult {
    return html`<ui-dialog open alert label=${text('unsaved.leaveTitle')} @close=${() => this.#decide(false)}>
      <p>${text('unsaved.lost', { nomes: listed(unsavedTitles(this.desk)) })}</p>
      <ui-button slot="actions" autofocus @click=${() => this.#decide(false)}>${text('unsaved.stay')}</ui-button>
      <ui-button slot="actions" variant="danger" @click=${() => this.#decide(true)}>${text('unsaved.leave')}</ui-button>
    </ui-dialog>`;
  }
}

customElements.define('svc-leave', SvcLeave);
