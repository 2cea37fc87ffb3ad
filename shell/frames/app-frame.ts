/**
 * The inside of an app's window: its page, over it the steps of a start until the page is there, and a banner while the app is away. The
 * iframe is made once and never moves in the document. Decision: docs/decisions/0046-window-recovery.md
 */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import type { StartStep } from '../../schema/backend.ts';
import { reasonText, stepText } from '../../schema/texts/reasons.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { FrameDesk } from './frame-desk.ts';
import { reconnectWaitMs } from '../events/client.ts';
import { tryLater, tryNow } from '../events/try-later.ts';
import { language, text } from '../i18n/i18n.ts';
import { startApp } from '../session/api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import '../dev/svc-dev-strip.ts';
import { troubleOf } from '../dev/model.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import { insideApp } from '../windows/options.ts';
import { appFrameStyles } from './app-frame-styles.ts';
import './svc-cluster-card.ts';
import { endStrip } from './end-strip.ts';
import { permitFrame } from './frame-permissions.ts';
import { stripStyles } from './strip-styles.ts';
import './update-strip.ts';

const steps: readonly StartStep[] = ['package', 'install', 'gpu', 'spawn', 'socket', 'probe'];
const slowMs = 12_000;
/** How long the portal's error panel, or a page that is late to say hello, has before the window loads again in its stead. */
const helloMs = 1_500;
const lostMs = 2_000;
/** How long the first load waits for the preferences of the person. */
const preferencesMs = 2_000;

export class SvcAppFrame extends LitElement {
  static override properties = {
    desk: { attribute: false },
    app: { attribute: false },
    window: { attribute: false },
    route: { attribute: false },
    name: { attribute: false },
    top: { attribute: false },
    sdk: { state: true },
    loaded: { state: true },
    slow: { state: true },
    away: { state: true },
    lost: { state: true },
    problem: { state: true },
    seen: { state: true },
    stopped: { state: true },
    asking: { state: true },
  };
  declare desk: FrameDesk;
  declare app: AppProjection | undefined;
  declare window: string;
  declare route: string;
  declare name: string;
  declare top: boolean;
  /** The page loaded the SDK, so it reports clicks to the shell. */
  declare sdk: boolean;
  declare loaded: boolean;
  declare slow: boolean;
  /** The portal could not be asked whether what came is the app: it may be the browser's own error page, and is covered. */
  declare away: boolean;
  /** The desktop has had no connection with the portal for a while. */
  declare lost: boolean;
  declare problem: string | null;
  /** Names of the missing secrets that the person was shown and dismissed. */
  declare seen: string;
  /** The page was taken out, since it took the keyboard from the desktop. */
  declare stopped: boolean;
  /** The form of an app on a cluster is over its page, whose backend has ended. */
  declare asking: boolean;
  /** The last page may not be the app: reload when it is ready. */
  #doubtful = false;
  /** Counts what came, so that an answer about an earlier page decides nothing. */
  #arrivals = 0;
  #attempts = 0;
  #cancelAsk = (): void => undefined;
  /** The document that is loading said hello already: its `load` comes after its first script. */
  #saidHello = false;
  #wasReady = false;
  #lostTimer: ReturnType<typeof setTimeout> | undefined;
  #beginTimer: ReturnType<typeof setTimeout> | undefined;
  #slowTimer: ReturnType<typeof setTimeout> | undefined;
  #helloTimer: ReturnType<typeof setTimeout> | undefined;
  #frame = document.createElement('iframe');
  #watch = new Watch(this, () => [
    this.desk.shielded,
    this.desk.connection,
    this.desk.preferences.state,
    this.desk.updating,
    language,
    ...(this.desk.dev === null ? [] : [this.desk.dev.state]),
  ]);
  #connected = true;

  constructor() {
    super();
    this.loaded = false;
    this.slow = false;
    this.away = false;
    this.lost = false;
    this.sdk = false;
    this.top = false;
    this.problem = null;
    this.seen = '';
    this.stopped = false;
    this.asking = false;
  }

  static override styles = [base, appFrameStyles, stripStyles];

  get iframe(): HTMLIFrameElement {
    return this.#frame;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#frame.addEventListener('load', () => this.#arrived());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const timer of [this.#beginTimer, this.#lostTimer, this.#slowTimer, this.#helloTimer]) clearTimeout(timer);
    this.#cancelAsk();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (this.app !== undefined && !this.#onCluster && this.#frame.getAttribute('src') === null) this.#begin();
    if (!changed.has('app') || this.app === undefined) return;
    const ready = this.app.ready;
    if (ready) this.asking = false;
    if (ready && !this.#wasReady && this.loaded && this.#doubtful) {
      clearTimeout(this.#helloTimer);
      this.#helloTimer = setTimeout(() => this.#doubtful && this.reload(), helloMs);
    }
    // A navigation starts a stopped app: nothing loads automatically once it is no longer ready.
    if (!ready) clearTimeout(this.#helloTimer);
    this.#wasReady = ready;
  }

  override updated(changed: PropertyValues<this>): void {
    this.#frame.title = this.name;
    if (changed.has('sdk') || changed.has('away')) this.dispatchEvent(new CustomEvent('app-there', { detail: this.sdk && !this.away }));
    const online = this.desk.connection.get() === 'open';
    this.#watchPortal();
    // A page that loaded while the portal was away is not the app.
    if (online && !this.#connected && this.#doubtful) this.reload();
    this.#connected = online;
  }

  /** A loss that is over at once moves nothing in the window. */
  #watchPortal(): void {
    if (this.desk.connection.get() !== 'away') {
      clearTimeout(this.#lostTimer);
      this.#lostTimer = undefined;
      this.lost = false;
    } else this.#lostTimer ??= setTimeout(() => (this.lost = true), lostMs);
  }

  /** The permissions of a page hold from its load on: after a reload of the desktop it may not be known yet. */
  #begin(): void {
    if (this.desk.preferences.state.get() !== null) this.reload();
    else this.#beginTimer ??= setTimeout(() => this.reload(), preferencesMs);
  }

  reload(): void {
    clearTimeout(this.#beginTimer);
    if (this.app === undefined) return;
    const appUrl = new URL(this.app.url, location.href);
    permitFrame(this.#frame, this.app, this.desk.preferences.state.get());
    this.stopped = false;
    this.#forgetPage();
    this.#slowTimer = setTimeout(() => (this.slow = true), slowMs);
    this.#frame.src = (this.route === '' ? null : insideApp(this.route, appUrl)) ?? appUrl.href;
  }

  /** Takes the page out at once. It is not led away: a page can have the browser ask before that, and goes on meanwhile. */
  stop(): void {
    this.stopped = true;
    this.#forgetPage();
    this.#frame.remove();
  }

  #forgetPage(): void {
    this.#doubtful = false;
    this.#saidHello = false;
    this.#arrivals += 1;
    this.loaded = false;
    this.slow = false;
    this.away = false;
    this.sdk = false;
    this.#cancelAsk();
    clearTimeout(this.#slowTimer);
  }

  #arrived(): void {
    if (this.#frame.getAttribute('src') === null) return;
    clearTimeout(this.#slowTimer);
    this.loaded = true;
    this.#arrivals += 1;
    this.#doubtful = !this.#saidHello;
    if (this.#doubtful) this.sdk = false;
    this.#saidHello = false;
    this.#attempts = 0;
    if (this.#doubtful) void this.#ask();
    else this.away = false;
    // Not in the middle of a drag: its Escape is heard by the desktop.
    const busy = this.desk.shielded.get() || this.desk.keyboardMode.get() !== null;
    if (!busy && this.desk.windows.top()?.id === this.window && this.#hasFocus()) this.#takeFocus();
  }

  /**
   * A page that sends no hello may be an app without the SDK, the portal's panel, or the browser's own error page. Whether the portal
   * answers now distinguishes the last from the others: it can't be seen from here. Decision: docs/decisions/0046-window-recovery.md
   */
  async #ask(): Promise<void> {
    this.#cancelAsk();
    const arrival = this.#arrivals;
    const answered = await this.desk.apps.ask();
    if (arrival !== this.#arrivals || !this.#doubtful || !this.isConnected) return;
    if (!answered) {
      this.away = true;
      this.#cancelAsk = tryLater(reconnectWaitMs(this.#attempts, Math.random()), () => void this.#ask());
      this.#attempts += 1;
    } else if (this.away) this.reload();
    else this.#doubtful = this.app?.ready !== true;
  }

  /** Browsers believe that an iframe still has the focus after a click led into another one, and would do nothing. */
  #takeFocus(): void {
    deepActive()?.blur();
    this.#frame.focus({ preventScroll: true });
  }

  /** The keyboard is on the window as a whole or on its page, not on one of the buttons of its title. */
  #hasFocus(): boolean {
    const inside = this.getRootNode() as ShadowRoot;
    const outside = inside.host.getRootNode() as ShadowRoot | Document;
    const at = inside.activeElement;
    return outside.activeElement === inside.host && (at === null || at === this || at.parentNode === inside);
  }

  greeted(): void {
    this.sdk = true;
    this.#saidHello = true;
    this.#doubtful = false;
    this.away = false;
    clearTimeout(this.#helloTimer);
  }

  focusContent(): void {
    if (this.loaded) this.#takeFocus();
    else ((this.getRootNode() as ShadowRoot).host as HTMLElement).focus({ preventScroll: true });
  }

  /** It is a job of a cluster that does not answer: it has a card in place of its page. */
  get #onCluster(): boolean {
    return this.app !== undefined && this.app.cluster !== null && !this.app.ready;
  }

  #card(strip = false): TemplateResult {
    return html`<svc-cluster-card .app=${this.app} .name=${this.name} .strip=${strip}></svc-cluster-card>`;
  }

  async #start(): Promise<void> {
    this.problem = null;
    if (this.#onCluster) {
      this.asking = true;
      return;
    }
    try {
      await startApp(this.app?.id ?? '');
    } catch (error) {
      this.problem = sayError(error);
    }
  }

  override render(): TemplateResult {
    return html`
      ${this.app !== undefined && this.desk.dev?.app === this.app.id ? html`<svc-dev-strip .desk=${this.desk}></svc-dev-strip>` : nothing}
      <svc-update-strip ?hidden=${!this.loaded || this.lost} .desk=${this.desk} .app=${this.app} .window=${this.window}></svc-update-strip>
      ${this.loaded ? html`${this.#strip()} ${this.lost ? nothing : endStrip(this.app)} ${this.#secretsStrip()}` : nothing}
      ${this.app?.ready === true && this.app.trabalho !== null ? this.#card(true) : nothing}
      <div class="page">
        ${this.stopped ? nothing : this.#frame}
        <div class="shield" ?hidden=${!this.desk.shielded.get() && (this.top || this.sdk)} @click=${() => this.focusContent()}></div>
        ${this.stopped ? this.#stoppedOverlay() : this.away ? this.#awayOverlay() : this.#onCluster && (this.asking || !this.loaded) ? this.#card() : this.loaded ? nothing : this.#overlay()}
      </div>
    `;
  }

  #overlay(): TemplateResult {
    const { app } = this;
    const step = app?.step ?? null;
    const at = step === null ? -1 : steps.indexOf(step.name);
    if (this.lost) return this.#awayOverlay();
    return html`<div class="overlay" role="status">
      <svc-app-icon .app=${app} .size=${56}></svc-app-icon>
      <p class="headline">${text('boot.starting', { nome: this.name })}</p>
      <div class="bar" aria-hidden="true"><span></span></div>
      ${
        at === -1
          ? nothing
          : html`<ol class="steps">
              ${repeat(
                steps,
                (name) => name,
                (name, index) =>
                  html`<li class=${index < at ? 'done' : index === at ? 'now' : ''} aria-current=${index === at ? 'step' : nothing}>
                    ${stepText(name, language.get())}
                  </li>`,
              )}
            </ol>`
      }
      ${
        this.slow
          ? html`<p class="hint">${text('boot.slow')}</p>
              <ui-button @click=${() => this.desk.open('@tarefas', app?.id)}> ${glyph('tasks')}${text('boot.tasks')} </ui-button>`
          : nothing
      }
    </div>`;
  }

  #awayOverlay(): TemplateResult {
    return html`<div class="overlay" role="status">
      <svc-app-icon .app=${this.app} .size=${56}></svc-app-icon>
      <p class="headline">${text('boot.away')}</p>
      <p class="hint">${text('boot.awayHint', { nome: this.name })}</p>
      <ui-button @click=${tryNow}>${glyph('reload')}${text('load.retry')}</ui-button>
    </div>`;
  }

  #stoppedOverlay(): TemplateResult {
    return html`<div class="overlay" role="status">
      <svc-app-icon .app=${this.app} .size=${56}></svc-app-icon>
      <p class="headline">${text('keyboard.closed', { nome: this.name })}</p>
      <p class="hint">${text('keyboard.closedHint')}</p>
      <ui-button @click=${() => this.reload()}>${glyph('reload')}${text('keyboard.reopen')}</ui-button>
    </div>`;
  }

  /** A live page stays; the banner shows the state of its backend. */
  #strip(): TemplateResult | typeof nothing {
    const { app } = this;
    // Its author sees the banner of svc dev instead, which says more.
    if (this.desk.dev?.app === app?.id && troubleOf(this.desk.dev?.state.get() ?? null) !== null) return nothing;
    if (app === undefined || this.#doubtful || this.desk.updating.get().has(app.id)) return nothing;
    if (this.lost) return this.#lostStrip(app);
    if (app.ready || app.status === 'running') return nothing;
    const away = app.status === 'stopped' || app.status === 'failed';
    // On a server that is taken out of use a start is refused.
    const canStart = away && app.drain === null;
    return html`<div class="strip ${away ? 'away' : ''}" role="status">
      ${away ? glyph('warning') : html`<span class="spinner" aria-hidden="true"></span>`}
      <p>
        <strong>${text(away ? 'boot.failed' : 'boot.recovering', { nome: this.name })}</strong>
        <span>${this.problem ?? (away ? reasonText(app.reason, language.get()) : text('boot.recoveringHint'))}</span>
      </p>
      ${canStart ? html`<ui-button @click=${() => this.#start()}>${text('boot.start')}</ui-button>` : nothing}
    </div>`;
  }

  #lostStrip(app: AppProjection): TemplateResult {
    return html`<div class="strip away" role="status">
      ${glyph('warning')}
      <p>
        <strong>${text('boot.lost')}</strong>
        <span>${text('boot.lostHint', { nome: app.name })}</span>
      </p>
    </div>`;
  }

  /** `required` is informative: the app runs without, and its window says what it lacks until the person has seen it. Source: rules 2.1. */
  #secretsStrip(): TemplateResult | typeof nothing {
    const { app } = this;
    const missing = app?.secrets.missing ?? [];
    if (app === undefined || missing.length === 0 || this.seen === missing.join(' ')) return nothing;
    return html`<div class="strip secrets" role="status">
      ${glyph('key')}
      <p>${text('secrets.missing', { n: missing.length, nomes: missing.join(', ') })}</p>
      <ui-button @click=${() => this.desk.secretsApp.set(app.id)}>${text('secrets.fill')}</ui-button>
      <ui-button icon variant="quiet" label=${text('secrets.dismiss')} @click=${() => (this.seen = missing.join(' '))}>
        ${glyph('close')}
      </ui-button>
    </div>`;
  }
}

customElements.define('svc-app-frame', SvcAppFrame);
