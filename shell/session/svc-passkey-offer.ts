/**
 * Offers a passkey to a person who came by a link and has no other way back in. Once for each session: whoever says no finds passkeys in Settings.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { makePasskey, sayPasskeyTrouble } from './passkey.ts';
import { passkeyStyles } from './passkey-styles.ts';
import { passkeyName } from './svc-passkeys.ts';

export class SvcPasskeyOffer extends LitElement {
  static override properties = { busy: { state: true }, problem: { state: true }, made: { state: true } };
  close: () => void = () => undefined;
  declare busy: boolean;
  declare problem: string | null;
  declare made: boolean;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.busy = false;
    this.problem = null;
    this.made = false;
  }

  static override styles = [base, passkeyStyles];

  override firstUpdated(): void {
    void this.#watch;
  }

  async #make(): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      await makePasskey(passkeyName());
      this.made = true;
    } catch (error) {
      this.problem = sayPasskeyTrouble(error);
    }
    this.busy = false;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[data-verb]')?.focus();
  }

  override render(): TemplateResult {
    return html`<ui-dialog
      open
      label=${text(this.made ? 'passkeys.isMade' : 'passkeys.offer')}
      ?busy=${this.busy}
      @close=${() => this.close()}
    >
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
      <p role="status">${text(this.made ? 'passkeys.isMadeWhat' : 'passkeys.offerWhat')}</p>
      ${
        this.made
          ? html`<ui-button slot="actions" variant="primary" data-verb="done" @click=${() => this.close()}
              >${text('passkeys.done')}</ui-button
            >`
          : html`<ui-button slot="actions" @click=${() => this.close()}>${text('passkeys.later')}</ui-button>
              <ui-button
                slot="actions"
                variant="primary"
                data-verb="make"
                autofocus
                ?disabled=${this.busy}
                @click=${() => void this.#make()}
                >${text('passkeys.makeOne')}</ui-button
              >`
      }
    </ui-dialog>`;
  }
}

customElements.define('svc-passkey-offer', SvcPasskeyOffer);

/** Shows the dialog; resolves when it is closed. */
export async function showPasskeyOffer(): Promise<void> {
  const offer = document.createElement('svc-passkey-offer') as SvcPasskeyOffer;
  const { promise, resolve } = Promise.withResolvers<void>();
  offer.close = resolve;
  document.body.append(offer);
  await promise;
  offer.remove();
}
