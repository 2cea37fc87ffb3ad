/** The root element: asks who is signed in and shows the desktop or the sign-in page. */
import { css, html, LitElement, type TemplateResult } from 'lit';
import { startDesk, type Desk } from '../desktop/desk.ts';
import '../desktop/svc-desktop.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { whoAmI } from './api.ts';
import { sayError } from './say-error.ts';
import { refusalOf, type Refusal } from './say-refusal.ts';
import './svc-sign-in.ts';

type Phase =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'out'; readonly refusal: Refusal | null }
  | { readonly kind: 'in'; readonly desk: Desk };

/** Loads fast enough are never seen loading. */
export class SvcShell extends LitElement {
  static override properties = { phase: { state: true } };
  declare phase: Phase;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.phase = { kind: 'loading' };
  }

  static override styles = [
    base,
    css`
      :host {
        display: block;
        height: 100dvh;
      }
      .wait {
        display: grid;
        align-content: center;
        justify-items: center;
        gap: 16px;
        height: 100%;
        color: var(--wall-muted);
        animation: late 300ms 400ms both;
      }
      @keyframes late {
        from {
          opacity: 0;
        }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    void this.#begin();
  }

  async #begin(): Promise<void> {
    this.phase = { kind: 'loading' };
    // The portal spends a good pass before this page loads: one that is still in the address was refused.
    const address = new URL(location.href);
    const refusal = address.searchParams.has('passe') ? { code: 'PASS_REFUSED' } : refusalOf(address.searchParams.get('entrada'));
    for (const name of ['passe', 'entrada']) address.searchParams.delete(name);
    if (address.search !== location.search) history.replaceState(null, '', address);
    try {
      const session = await whoAmI();
      this.phase = session === null ? { kind: 'out', refusal } : { kind: 'in', desk: startDesk(session) };
    } catch (error) {
      this.phase = { kind: 'failed', message: sayError(error) };
    }
  }

  override render(): TemplateResult {
    const { phase } = this;
    if (phase.kind === 'in') return html`<svc-desktop .desk=${phase.desk}></svc-desktop>`;
    if (phase.kind === 'out') return html`<svc-sign-in .refusal=${phase.refusal}></svc-sign-in>`;
    if (phase.kind === 'loading') return html`<p class="wait" role="status">${text('load.portal')}</p>`;
    return html`<div class="wait" role="alert">
      <strong>${text('load.failed')}</strong>
      <span>${phase.message}</span>
      <button class="button" type="button" @click=${() => this.#begin()}>${text('load.retry')}</button>
    </div>`;
  }
}

customElements.define('svc-shell', SvcShell);
