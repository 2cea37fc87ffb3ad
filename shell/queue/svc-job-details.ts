/** Details of a job: its facts, its progress and reason, its acts, its outputs, and its log. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/progress.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import type { QueueDesk } from './model.ts';
import { language, text, type TextKey } from '../i18n/i18n.ts';
import { cancelAnyJob, cancelJob, repeatJob } from '../session/jobs-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { noteStyles } from '../ui/piece-styles.ts';
import './job-log.ts';
import './job-outputs.ts';
import { isOver } from './model.ts';
import { detailStyles, stateStyles } from './queue-styles.ts';
import { jobName, progressOf, reasonLine, sayLimits, sayPercent, sayWhen, stateText } from './words.ts';
import { randomId } from '../state/random-id.ts';

export class SvcJobDetails extends LitElement {
  static override properties = {
    desk: { attribute: false },
    job: { attribute: false },
    asked: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  declare desk: QueueDesk;
  declare job: JobView;
  /** Cancelling waits for a second press. */
  declare asked: boolean;
  declare busy: boolean;
  declare problem: string | null;
  #watch = new Watch(this, () => [language, this.desk.apps.state]);
  /** Key of the next repetition: after a lost answer the same one is sent again. */
  #key = randomId();

  constructor() {
    super();
    this.asked = false;
    this.busy = false;
    this.problem = null;
  }

  static override styles = [base, noteStyles, stateStyles, detailStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('job')) return;
    const isOther = changed.get('job')?.id !== this.job.id;
    if (isOther) {
      this.problem = null;
      this.#key = randomId();
    }
    if (isOther || isOver(this.job) || this.job.cancelamento) this.asked = false;
  }

  /** The keyboard goes to the answer that changes nothing, and back to the button that asked. */
  async #ask(asked: boolean): Promise<void> {
    this.asked = asked;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(asked ? '[data-verb="keep"]' : '[data-verb="cancel"]')?.focus();
  }

  async #act(work: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.problem = null;
    try {
      await work();
    } catch (error) {
      this.problem = text('queue.error', { erro: sayError(error) });
    }
    this.busy = false;
    this.desk.queue.refreshNow();
  }

  get #isMine(): boolean {
    return this.job.usuario === this.desk.session.usuario;
  }

  #cancel(): Promise<void> {
    const { job, desk } = this;
    return this.#act(async () => {
      await (this.#isMine ? cancelJob : cancelAnyJob)(job.id);
      desk.announcement.set(text('queue.cancelled', { nome: jobName(job) }));
      this.asked = false;
      this.renderRoot.querySelector<HTMLElement>('h3')?.focus();
    });
  }

  #again(): Promise<void> {
    const { job, desk } = this;
    return this.#act(async () => {
      const { id } = await repeatJob(job.id, this.#key);
      desk.announcement.set(text('queue.sentAgain', { nome: jobName(job) }));
      desk.queue.chosen.set(id);
    });
  }

  override render(): TemplateResult {
    const { job } = this;
    const nome = jobName(job);
    const progress = progressOf(job);
    const reason = reasonLine(job);
    return html`<section aria-label=${text('queue.details', { nome })} data-state=${job.estado}>
      <header>
        <h3 tabindex="-1">${nome}</h3>
        <ui-button icon variant="quiet" label=${text('queue.back')} @click=${() => this.dispatchEvent(new Event('back'))}>
          ${glyph('close')}
        </ui-button>
      </header>
      <p>
        <span class="state"><span class="dot ${job.estado}" aria-hidden="true"></span>${stateText(job)}</span>
        ${reason === '' ? nothing : html`<span class="reason">${reason}</span>`}
      </p>
      ${
        progress === null
          ? nothing
          : html`<p class="progress">
              <ui-progress hide-label .max=${1} .value=${progress} label=${text('queue.progress')}></ui-progress
              ><span>${sayPercent(progress)}</span>
            </p>`
      }
      ${this.#verbs(nome)}
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${glyph('warning')}<span>${this.problem}</span></p>`}
      ${this.#facts()}
      <svc-job-outputs .job=${job} .mine=${this.#isMine}></svc-job-outputs>
      <svc-job-log .job=${job} .mine=${this.#isMine}></svc-job-log>
    </section>`;
  }

  #verbs(nome: string): TemplateResult {
    const { job, busy } = this;
    if (this.asked) {
      return html`<div
        class="ask"
        role="group"
        aria-labelledby="ask"
        @keydown=${(event: KeyboardEvent) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          void this.#ask(false);
        }}
      >
        <p id="ask">${text('queue.cancelAsk', { nome })}</p>
        <ui-button variant="danger" ?disabled=${busy} @click=${() => this.#cancel()}>${text('queue.cancelYes')}</ui-button>
        <ui-button data-verb="keep" description=${text('queue.cancelAsk', { nome })} @click=${() => this.#ask(false)}>
          ${text('queue.cancelNo')}
        </ui-button>
      </div>`;
    }
    const canCancel = !isOver(job) && !job.cancelamento;
    return html`<div class="verbs">
      ${
        canCancel
          ? html`<ui-button data-verb="cancel" ?disabled=${busy} @click=${() => this.#ask(true)}>
              ${glyph('stop')}${text('queue.cancel')}
            </ui-button>`
          : nothing
      }
      ${
        this.#isMine && isOver(job)
          ? html`<ui-button data-verb="again" ?disabled=${busy} @click=${() => this.#again()}>
              ${glyph('reload')}${text('queue.again')}
            </ui-button>`
          : nothing
      }
    </div>`;
  }

  #facts(): TemplateResult {
    const { job, desk } = this;
    const facts: readonly (readonly [TextKey, string])[] = [
      ['queue.app', desk.apps.find(job.app)?.name ?? job.app],
      ...(this.#isMine ? [] : [['queue.person', job.usuario] as const]),
      ['queue.cluster', job.cluster],
      ['queue.created', sayWhen(job.criadoEm)],
      ['queue.started', sayWhen(job.iniciadoEm)],
      ['queue.ended', sayWhen(job.terminadoEm)],
      ...(job.expiraEm === null ? [] : [['queue.expires', sayWhen(job.expiraEm)] as const]),
    ];
    const technical: readonly (readonly [TextKey, string])[] = [
      ['queue.id', job.id],
      ['queue.image', job.imagem ?? text('queue.noImage')],
      ['queue.limits', sayLimits(job)],
      ['queue.command', job.comando.join(' ')],
    ];
    const list = (rows: readonly (readonly [TextKey, string])[]): TemplateResult =>
      html`<dl>
        ${rows.map(
          ([key, value]) =>
            html`<div>
              <dt>${text(key)}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>`;
    return html`${list(facts)}
      <details>
        <summary>${text('queue.technical')}</summary>
        ${list(technical)} ${job.mensagem === '' ? nothing : html`<p lang="en">${job.mensagem}</p>`}
      </details>`;
  }
}

customElements.define('svc-job-details', SvcJobDetails);
