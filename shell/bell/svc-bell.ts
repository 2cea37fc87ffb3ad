/**
 * The list that the bell opens: who, what, in which room and app, when; open, and mark as read. `GET /api/avisos` carries facts and the
 * shell makes the sentence in the reader's language (rules 6: the portal writes the text), so that no app acts over people's heads. The
 * event `avisos` says to read again, so every window of the person shows the same. *Open* takes the way of links into apps: a new window's
 * route, or `abertura` in the open one.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/empty.ts';
import type { ConsentView } from '../../schema/wire/capabilities.ts';
import type { NoticeView } from '../../schema/wire/rooms.ts';
import type { BellDesk } from './bell-model.ts';
import { language, relativeTime, shownAs, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { leadOn } from '../ui/lead-on.ts';
import { bellStyles } from './bell-styles.ts';
import { noticeText, pendingText } from './notice-words.ts';
import { canOpen, openNotice } from './open-notice.ts';

export class SvcBell extends LitElement {
  static override properties = { desk: { attribute: false }, missing: { state: true } };
  declare desk: BellDesk;
  /** Name of the app that could not be opened. */
  declare missing: string | null;
  #watch = new Watch(this, () => [this.desk.bell.state, this.desk.apps.state, language]);

  constructor() {
    super();
    this.missing = null;
  }

  static override styles = [base, bellStyles];

  override firstUpdated(): void {
    void this.#watch;
    this.desk.bell.refresh();
  }

  #close(): void {
    this.desk.bellOpen.set(false);
  }

  #open(notice: NoticeView): void {
    const { desk } = this;
    if (!canOpen(desk, notice)) {
      if (!notice.lido) void desk.bell.markRead([notice.id]);
      this.missing = notice.appNome;
      return;
    }
    // The focus belongs to the app now, not to the bell's button.
    leadOn(this);
    this.#close();
    openNotice(desk, notice);
  }

  /** The button that was pressed goes away with its state: the focus stays in the same line. */
  async #read(notice: NoticeView): Promise<void> {
    void this.desk.bell.markRead([notice.id]);
    await this.updateComplete;
    const line = [...this.renderRoot.querySelectorAll<HTMLElement>('li')].find(({ dataset }) => dataset['notice'] === notice.id);
    line?.querySelector<HTMLElement>('button, ui-button')?.focus();
  }

  async #readAll(): Promise<void> {
    void this.desk.bell.markRead(null);
    await this.updateComplete;
    this.renderRoot.querySelector('ui-dialog')?.focus();
  }

  override render(): TemplateResult {
    const { avisos, naoLidos, pendentes, loaded, problem } = this.desk.bell.state.get();
    const trouble = this.missing === null ? problem : text('bell.noApp', { app: this.missing });
    return html`<ui-dialog open autofocus light-dismiss label=${text('bell.title')} @close=${() => this.#close()}>
      ${trouble === null ? nothing : html`<p class="problem" role="alert">${trouble}</p>`}
      <div aria-busy=${!loaded}>
        ${loaded && avisos.length + pendentes.length === 0 ? html`<ui-empty>${text('bell.empty')}</ui-empty>` : nothing}
        <ul>
          ${repeat(
            pendentes,
            ({ id }) => id,
            (consent) => this.#pending(consent),
          )}
          ${repeat(
            avisos,
            ({ id }) => id,
            (notice) => this.#line(notice),
          )}
        </ul>
      </div>
      ${
        naoLidos === 0
          ? nothing
          : html`<ui-button slot="actions" variant="quiet" @click=${() => this.#readAll()}>${text('bell.readAll')}</ui-button>`
      }
    </ui-dialog>`;
  }

  /** It is answered in Settings, where what is asked is shown whole. */
  #answer(): void {
    leadOn(this);
    this.#close();
    this.desk.open('@configuracoes', 'consentimentos');
  }

  #pending(consent: ConsentView): TemplateResult {
    const words = pendingText(consent);
    return html`<li data-pending=${consent.id} class="unread">
      <span class="dot" aria-hidden="true"></span>
      <div>
        <p class="words">${words}</p>
        <p class="facts">${consent.de} → ${consent.para} · ${timeOf(consent.em)}</p>
        <div class="verbs">
          <ui-button label=${`${text('bell.answer')}: ${words}`} @click=${() => this.#answer()}> ${text('bell.answer')} </ui-button>
        </div>
      </div>
    </li>`;
  }

  #line(notice: NoticeView): TemplateResult {
    const { id, lido, em, salaNome, appNome, trabalho } = notice;
    const openInApp = salaNome === null ? text('bell.openApp', { app: appNome }) : text('bell.openOne', { sala: salaNome, app: appNome });
    return html`<li data-notice=${id} class=${lido ? '' : 'unread'}>
      <span class="dot" aria-hidden="true"></span>
      <div>
        <p class="words">${lido ? nothing : html`<span class="sr-only">${text('bell.unread')}: </span>`}${noticeText(notice)}</p>
        <p class="facts">${appNome} · ${timeOf(em)}</p>
        <div class="verbs">
          <ui-button label=${trabalho === null ? openInApp : text('bell.openJob')} @click=${() => this.#open(notice)}>
            ${text('bell.open')}
          </ui-button>
          ${lido ? nothing : html`<ui-button variant="quiet" @click=${() => this.#read(notice)}>${text('bell.read')}</ui-button>`}
        </div>
      </div>
    </li>`;
  }
}

function timeOf(em: number): TemplateResult {
  const exact = new Intl.DateTimeFormat(shownAs(), { dateStyle: 'medium', timeStyle: 'short' }).format(em);
  return html`<time datetime=${new Date(em).toISOString()} title=${exact}>${relativeTime(em, Date.now())}</time>`;
}

customElements.define('svc-bell', SvcBell);
