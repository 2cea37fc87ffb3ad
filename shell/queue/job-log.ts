/** The log of a job, followed as it grows: the job itself says how long it is, and only what is new is read. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/checkbox.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import { language, text } from '../i18n/i18n.ts';
import { readJobLog } from '../session/jobs-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { keptCharsMax } from '../tasks/lines.ts';
import { logStyles } from '../tasks/log-styles.ts';
import { base } from '../ui/base.ts';
import { keepLog, shownLog } from './log-text.ts';
import { jobName } from './words.ts';

export class SvcJobLog extends LitElement {
  static override properties = {
    job: { attribute: false },
    mine: { attribute: false },
    follow: { state: true },
    kept: { state: true },
    problem: { state: true },
  };
  declare job: JobView;
  declare mine: boolean;
  declare follow: boolean;
  declare kept: string;
  declare problem: string | null;
  #watch = new Watch(this, () => [language]);
  /** Ends with the job that is shown. */
  #reading: { readonly id: string; readonly end: AbortController; decoder: TextDecoder; from: number; at: number; busy: boolean } | null =
    null;

  constructor() {
    super();
    this.follow = true;
    this.kept = '';
    this.problem = null;
  }

  static override styles = [base, logStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#reading?.end.abort();
    this.#reading = null;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('job')) return;
    const { id, registo } = this.job;
    if (this.#reading?.id !== id) {
      this.#reading?.end.abort();
      const from = Math.max(0, registo - keptCharsMax);
      this.#reading = { id, end: new AbortController(), decoder: new TextDecoder(), from, at: from, busy: false };
      this.kept = '';
      this.problem = null;
      this.follow = true;
    }
    void this.#read();
  }

  override updated(changed: PropertyValues<this>): void {
    const box = this.renderRoot.querySelector('pre');
    if (changed.has('kept') && this.follow && box !== null) box.scrollTop = box.scrollHeight;
  }

  /** Reads the rest of the log; after a failure the next event about the job reads it again. */
  async #read(): Promise<void> {
    const mine = this.#reading;
    if (mine === null || mine.busy) return;
    mine.busy = true;
    try {
      while (mine === this.#reading && mine.at < this.job.registo) {
        const { bytes, ate } = await readJobLog({ id: mine.id, mine: this.mine }, mine.at, mine.end.signal);
        if (mine !== this.#reading || ate === mine.at) break;
        mine.at = ate;
        this.kept = keepLog(this.kept, mine.decoder.decode(bytes, { stream: true }));
        this.problem = null;
      }
    } catch (error) {
      if (mine === this.#reading) this.problem = text('queue.logError', { erro: sayError(error) });
    }
    mine.busy = false;
  }

  override render(): TemplateResult {
    const nome = jobName(this.job);
    const isCut = (this.#reading?.from ?? 0) > 0;
    return html`
      <div class="bar">
        <strong>${text('queue.logTitle')}</strong>
        <ui-checkbox
          label=${text('log.follow')}
          .checked=${this.follow}
          @change=${(event: Event) => (this.follow = (event.target as SvcUiCheckbox).checked)}
        ></ui-checkbox>
        ${isCut ? html`<span>${text('queue.logCut')}</span>` : nothing}
        ${this.problem === null ? nothing : html`<span role="alert">${this.problem}</span>`}
      </div>
      <pre tabindex="0" role="log" aria-live="off" aria-label=${text('queue.log', { nome })} class=${this.kept === '' ? 'quiet' : ''}>
${this.kept === '' ? text('queue.logEmpty') : shownLog(this.kept)}</pre>
    `;
  }
}

customElements.define('svc-job-log', SvcJobLog);
