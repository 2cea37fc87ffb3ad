/**
 * The card of an app that runs as a job of a cluster: a form before it starts, its place while it waits, and its time while it runs (`strip`). Decision: docs/decisions/0442-a-card-for-apps-on-a-cluster.md
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/select.ts';
import { reasonText } from '../../schema/texts/reasons.ts';
import type { AppProjection, ClusterFormAnswer } from '../../schema/wire/http.ts';
import { language, shownAs, text } from '../i18n/i18n.ts';
import { clusterForm, startApp, stopApp } from '../session/api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { appFrameStyles } from './app-frame-styles.ts';
import { amountNames, choicesOf, durationOf, shownAmount, type Amount } from './cluster-choices.ts';
import { stripStyles } from './strip-styles.ts';

/** The time that is left is said in minutes. */
const tickMs = 15_000;

export class SvcClusterCard extends LitElement {
  static override properties = {
    app: { attribute: false },
    name: { attribute: false },
    strip: { type: Boolean },
    form: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  declare app: AppProjection;
  declare name: string;
  declare strip: boolean;
  declare form: ClusterFormAnswer | null;
  declare busy: boolean;
  declare problem: string | null;
  #reading = false;
  #tick: ReturnType<typeof setInterval> | undefined;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.strip = false;
    this.form = null;
    this.busy = false;
    this.problem = null;
  }

  static override styles = [
    base,
    appFrameStyles,
    stripStyles,
    css`
      form {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(130px, 100%), 1fr));
        gap: 12px;
        width: min(420px, 100%);
        text-align: start;
      }
      .verbs {
        grid-column: 1 / -1;
        display: flex;
        justify-content: center;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#tick = setInterval(() => this.requestUpdate(), tickMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#tick);
  }

  get #isStopped(): boolean {
    return this.app.status === 'stopped' || this.app.status === 'failed';
  }

  override updated(): void {
    if (!this.strip && this.#isStopped && this.form === null && !this.#reading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      this.form = await clusterForm(this.app.id);
    } catch (error) {
      this.problem = sayError(error);
    }
    this.#reading = false;
  }

  async #act(act: () => Promise<unknown>): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      await act();
    } catch (error) {
      this.problem = sayError(error);
    }
    this.busy = false;
  }

  #choose(name: Amount, event: Event): void {
    const { form } = this;
    if (form === null) return;
    this.form = { ...form, pedido: { ...form.pedido, [name]: Number((event.target as SvcUiSelect).value) } };
  }

  override render(): TemplateResult {
    if (this.strip) return this.#strip();
    return html`<div class="overlay" role=${this.#isStopped ? nothing : 'status'}>
      <svc-app-icon .app=${this.app} .size=${56}></svc-app-icon>
      ${this.#isStopped ? this.#ask() : this.#progress()}
      ${this.problem === null ? nothing : html`<p class="hint" role="alert">${this.problem}</p>`}
    </div>`;
  }

  #ask(): TemplateResult {
    const { app, form, name: nome } = this;
    const start = (event: Event): void => {
      event.preventDefault();
      const pedido = form?.pedido;
      if (!this.busy && pedido !== undefined) void this.#act(() => startApp(app.id, pedido));
    };
    const open = form === null ? [] : amountNames.filter((name) => choicesOf(name, form.formulario[name]).length > 1);
    return html`
      <p class="headline">${text('cluster.ask', { nome, cluster: app.cluster ?? '' })}</p>
      ${app.reason === 'NeverStarted' ? nothing : html`<p class="hint">${reasonText(app.reason, language.get())}</p>`}
      ${
        form === null
          ? nothing
          : html`<form @submit=${start}>
              ${open.map(
                (name) =>
                  html`<ui-select
                    name=${name}
                    label=${text(`cluster.${name}`)}
                    .value=${String(form.pedido[name])}
                    @change=${(event: Event) => this.#choose(name, event)}
                  >
                    ${choicesOf(name, form.formulario[name]).map(
                      (amount) => html`<option value=${amount}>${shownAmount(name, amount)}</option>`,
                    )}
                  </ui-select>`,
              )}
              <div class="verbs">
                <ui-button variant="primary" type="submit" ?disabled=${this.busy} @click=${start}>${text('boot.start')}</ui-button>
              </div>
            </form>`
      }
    `;
  }

  #progress(): TemplateResult {
    const { app, name: nome } = this;
    const job = app.trabalho;
    const place = job?.lugar ?? null;
    return html`
      <p class="headline">${app.status === 'starting' ? text('cluster.waiting', { nome }) : reasonText(app.reason, language.get())}</p>
      <div class="bar" aria-hidden="true"><span></span></div>
      ${app.status === 'starting' ? html`<p>${reasonText(app.reason, language.get())}</p>` : nothing}
      ${place === null ? nothing : html`<p class="place">${text('cluster.place', { n: place })}</p>`}
      ${job === null || job.palavras === '' ? nothing : html`<p class="hint">${job.palavras}</p>`}
      ${
        app.status === 'starting'
          ? html`<ui-button ?disabled=${this.busy} @click=${() => this.#act(() => stopApp(app.id))}>${text('cluster.cancel')}</ui-button>`
          : nothing
      }
    `;
  }

  #strip(): TemplateResult {
    const end = this.app.trabalho?.fimMs ?? null;
    if (end === null) return html``;
    const hora = new Date(end).toLocaleTimeString(shownAs(), { timeStyle: 'short' });
    return html`<div class="strip">
      ${glyph('tasks')}
      <p>
        <strong>${text('cluster.left', { tempo: durationOf((end - Date.now()) / 1_000) })}</strong>
        <span>${text('cluster.until', { nome: this.name, hora })}</span>
      </p>
    </div>`;
  }
}

customElements.define('svc-cluster-card', SvcClusterCard);
