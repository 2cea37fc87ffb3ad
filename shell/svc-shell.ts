/** The root element: asks who is signed in and shows the desktop or the sign-in page. */
import { css, html, LitElement, nothing, render, type TemplateResult } from 'lit';
import type { SessionAnswer } from '../schema/wire/http.ts';
import '../sdk/web/ui/button.ts';
import type { Desk } from './desktop/desk.ts';
import { listenEarlyKeys } from './desktop/early-keys.ts';
import { startDesk } from './desktop/start-desk.ts';
import './desktop/svc-desktop.ts';
import { language, text } from './i18n/i18n.ts';
import { keepOfflinePage } from './offline/register.ts';
import { BrowserLate } from './state/in-time.ts';
import { createRetry } from './state/retry.ts';
import { Watch } from './state/signal.ts';
import { base } from './ui/base.ts';
import { isPassing, linkOwner, whoAmI } from './session/api.ts';
import { keepDestination } from './session/destination.ts';
import { leave, takeEnd, type Ended } from './session/leave.ts';
import { sayError } from './session/say-error.ts';
import { refusalOf, type Refusal } from './session/say-refusal.ts';
import { comeBack, keepSession } from './session/session-key.ts';
import type { Question } from './session/svc-link-question.ts';
import { offerPasskey } from './session/way-back.ts';
import './session/svc-link-question.ts';
import './session/svc-sign-in.ts';
import { keptHere } from './state/kept.ts';

type Phase =
  | { readonly kind: 'loading' }
  /** It is retried automatically; `asking`: right now. */
  | { readonly kind: 'failed'; readonly message: string; readonly asking: boolean }
  | { readonly kind: 'out'; readonly refusal: Refusal | null; readonly ended: Ended | null }
  | { readonly kind: 'asked'; readonly question: Question }
  | { readonly kind: 'in'; readonly desk: Desk };

/** Parameters of the address besides the page; removed from it, so that no history holds them. */
interface Address {
  /** Code of a link that the portal did not accept at once: the person is asked. */
  readonly passe: string | null;
  /** Why signing in came to nothing. */
  readonly entrada: string | null;
  /** Where a link into an app led. */
  readonly destino: string | null;
}

function takeAddress(): Address {
  const address = new URL(location.href);
  const [passe = null, entrada = null, destino = null] = ['passe', 'entrada', 'destino'].map((name) => address.searchParams.get(name));
  for (const name of ['passe', 'entrada', 'destino']) address.searchParams.delete(name);
  if (address.search !== location.search) history.replaceState(null, '', address);
  return { passe, entrada, destino };
}

/** A browser that does not say so often whether there is a session goes without: the person can sign in. */
const lateLooksMax = 3;

/** Loads fast enough are never seen loading. */
export class SvcShell extends LitElement {
  static override properties = { phase: { state: true } };
  declare phase: Phase;
  #watch = new Watch(this, () => [language]);
  #address: Address | null = null;
  #lateLooks = 0;
  #ended: Ended | null = null;
  #endEarlyKeys = listenEarlyKeys();
  #retry = createRetry(() => void this.#begin());

  constructor() {
    super();
    this.phase = { kind: 'loading' };
  }

  static override styles = [
    base,
    css`
      :host {
        position: relative;
        top: var(--screen-top);
        display: block;
        height: var(--screen);
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

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#retry.succeeded();
  }

  async #begin(): Promise<void> {
    if (this.phase.kind === 'failed') this.phase = { ...this.phase, asking: true };
    this.#address ??= takeAddress();
    this.#ended ??= takeEnd();
    try {
      this.phase = await this.#opened(this.#address);
      this.#retry.succeeded();
      const desk = this.phase.kind === 'in' ? this.phase.desk : null;
      this.#endEarlyKeys(desk);
      if (desk !== null) void keepOfflinePage(desk.session.origins);
    } catch (error) {
      this.phase = { kind: 'failed', message: sayError(error), asking: false };
      this.#retry.failed(error);
    }
  }

  async #comeBack(): Promise<SessionAnswer | null> {
    try {
      return await comeBack(whoAmI);
    } catch (error) {
      if (error instanceof BrowserLate) this.#lateLooks += 1;
      if (isPassing(error) || (error instanceof BrowserLate && this.#lateLooks < lateLooksMax)) throw error;
      return null;
    }
  }

  /** Throws what may pass: a person is not shown the sign-in page, nor a link lost, for an answer that did not come. */
  async #opened({ passe, entrada, destino }: Address): Promise<Phase> {
    const session = (await whoAmI()) ?? (await this.#comeBack());
    if (session !== null && entrada === 'OTHER_PERSON') return { kind: 'asked', question: { kind: 'other', session } };
    // A person already signed in follows no link into an app, except the one that `svc dev` prints.
    if (destino !== null && (session === null || session.dev !== null)) keepDestination(keptHere, destino, Date.now());
    if (passe !== null) {
      try {
        return { kind: 'asked', question: { kind: 'link', passe, owner: await linkOwner(passe), session } };
      } catch (error) {
        if (isPassing(error)) throw error;
        if (session === null) return { kind: 'out', refusal: error as Refusal, ended: null };
      }
    }
    if (session === null) return { kind: 'out', refusal: refusalOf(entrada), ended: this.#ended };
    keepSession(session).catch(() => undefined);
    offerPasskey(session).catch(() => undefined);
    return { kind: 'in', desk: startDesk(session) };
  }

  /** The sign-in page is in the document itself: svc-sign-in.ts says why. */
  override updated(): void {
    const { phase } = this;
    render(phase.kind === 'out' ? html`<svc-sign-in .refusal=${phase.refusal} .ended=${phase.ended}></svc-sign-in>` : nothing, this);
  }

  override render(): TemplateResult {
    const { phase } = this;
    if (phase.kind === 'asked') {
      return html`<svc-link-question .question=${phase.question} .leave=${leave}></svc-link-question>`;
    }
    if (phase.kind === 'in') return html`<svc-desktop .desk=${phase.desk}></svc-desktop>`;
    if (phase.kind === 'out') return html`<slot></slot>`;
    if (phase.kind === 'loading') return html`<p class="wait" role="status">${text('load.portal')}</p>`;
    return html`<div class="wait">
      <strong role="alert">${text('load.failed')}</strong>
      <span>${phase.message}</span>
      <ui-button ?busy=${phase.asking} @click=${() => this.#retry.now()}>${text('load.retry')}</ui-button>
      <span role="status">${text(phase.asking ? 'load.asking' : 'load.again')}</span>
    </div>`;
  }
}

customElements.define('svc-shell', SvcShell);
