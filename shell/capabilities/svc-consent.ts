/**
 * Asks the person whether one app may use another, in the top layer, where no app can draw. Only presses that were meant for it count
 * (ReadyPress): a page may provoke clicks and show this under them. A yes is confirmed at a place that nobody knows beforehand (askSure): a
 * page may have the person press in a slower rhythm. While it is open no key of the shell and no verb of an app brings anything over it
 * (keys.ts; file-, room- and window-verbs.ts). Esc and closing are "no, this time". Decisions: docs/decisions/0201-consent.md,
 * 0381-a-yes-is-no-game.md
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/radio-group.ts';
import type { CallsDesk } from './app-calls.ts';
import { releasePointer } from '../windows/release-pointer.ts';
import { language, text } from '../i18n/i18n.ts';
import type { Offer } from '../session/capabilities-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { noteStyles } from '../ui/piece-styles.ts';
import { consentStyles } from './consent-styles.ts';
import { limits } from './limits.ts';
import { ReadyPress } from '../questions/ready-press.ts';
import { askSure } from '../questions/svc-sure.ts';
import type { Decision, Question } from './questions.ts';

export class SvcConsent extends LitElement {
  static override properties = {
    desk: { attribute: false },
    question: { attribute: false },
    para: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  declare desk: CallsDesk;
  declare question: Question;
  /** The provider that is chosen. */
  declare para: string | null;
  declare busy: boolean;
  declare problem: string | null;
  #watch = new Watch(this, () => [this.desk.apps.state, language]);
  readonly #presses = new ReadyPress(this);
  readonly #gone = new AbortController();
  #returns = 0;

  constructor() {
    super();
    this.para = null;
    this.busy = false;
    this.problem = null;
  }

  static override styles = [base, noteStyles, consentStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#gone.abort();
  }

  override firstUpdated(): void {
    const { ofertas } = this.question;
    if (ofertas.length === 1) this.para = ofertas[0]?.app ?? null;
    const { windows, frames } = this.desk;
    void releasePointer(frames.get(windows.top()?.id ?? '')?.iframe);
  }

  async #confirm(para: string, duracao: 'sempre' | 'uma-vez'): Promise<void> {
    this.busy = true;
    const nome = this.question.ofertas.find(({ app }) => app === para)?.nome ?? para;
    const isSure = await askSure(text('apps.sure', { de: this.#de, para: nome }), this.#presses.last, this.#gone.signal);
    if (this.#gone.signal.aborted) return;
    this.busy = false;
    this.#presses.count();
    if (isSure) return await this.#decide({ kind: 'sim', para, duracao });
    this.#returns += 1;
    if (this.#returns > limits.questionReturnsMax) await this.#decide({ kind: 'fechada' });
  }

  async #decide(decision: Decision): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      await this.desk.appCalls.decide(this.question, decision);
    } catch (error) {
      this.problem = sayError(error);
      this.busy = false;
    }
  }

  /** Whatever closes it: where the portal has to be asked, the question is closed by its answer. */
  #closed(event: Event): void {
    event.preventDefault();
    void this.#decide({ kind: 'fechada' });
  }

  get #de(): string {
    const { de } = this.question;
    return this.desk.apps.find(de)?.name ?? de;
  }

  override render(): TemplateResult {
    const { ofertas, capacidade, de: id } = this.question;
    const [first, second] = ofertas;
    const de = this.#de;
    const alone = second === undefined ? first : undefined;
    const title = alone === undefined ? text('apps.askChoice', { de }) : text('apps.ask', { de, para: alone.nome });
    const lead = alone === undefined ? text('apps.leadChoice', { de }) : text('apps.lead', { de, para: alone.nome, rotulo: alone.rotulo });
    const body = html`<p>${lead}</p>
      ${alone === undefined ? this.#choice(ofertas) : nothing}
      <p class="facts">${text('apps.capability', { capacidade })}<br /><code>${id}${this.para === null ? '' : ` → ${this.para}`}</code></p>
      <p class="facts">${text('apps.kept')}</p>
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${glyph('warning')}<span>${this.problem}</span></p>`}`;
    return this.#dialog(title, body);
  }

  /** The focus is on no button: a key that was meant for another window answers nothing. */
  #dialog(title: string, body: TemplateResult): TemplateResult {
    return html`<ui-dialog
      open
      autofocus
      alert
      label=${title}
      @pointerdown=${this.#presses.press}
      @keydown=${this.#presses.press}
      @cancel=${(event: Event) => this.#closed(event)}
      @close=${(event: Event) => this.#closed(event)}
    >
      <div class="body" aria-busy=${this.busy}>${body}</div>
      <div slot="actions" class="verbs">${this.#verbs()}</div>
    </ui-dialog>`;
  }

  #choice(ofertas: readonly Offer[]): TemplateResult {
    return html`<ui-radio-group
      label=${text('apps.which')}
      .value=${this.para ?? ''}
      @change=${(event: Event) => (this.para = (event.target as SvcUiRadioGroup).value)}
    >
      ${ofertas.map(({ app, nome, rotulo }) => html`<option value=${app} data-hint=${`${nome} (${app})`}>${rotulo}</option>`)}
    </ui-radio-group>`;
  }

  #verbs(): TemplateResult {
    const { para } = this;
    const closed = this.busy || !this.#presses.ready;
    const yes = (duracao: 'sempre' | 'uma-vez'): void => this.#presses.clicked(() => void (para !== null && this.#confirm(para, duracao)));
    return html`<ui-button variant="primary" ?disabled=${closed || para === null} @click=${() => yes('sempre')}>
        ${text('apps.allow')}
      </ui-button>
      <ui-button ?disabled=${closed || para === null} @click=${() => yes('uma-vez')}>${text('apps.once')}</ui-button>
      <ui-button ?disabled=${closed} @click=${() => this.#presses.clicked(() => void this.#decide({ kind: 'nao' }))}>
        ${text('apps.deny')}
      </ui-button>`;
  }
}

customElements.define('svc-consent', SvcConsent);
