/** The queue: the person's jobs of all apps, and for administrators those of all people; live by the events of the portal. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/field.ts';
import '../../sdk/web/ui/progress.ts';
import '../../sdk/web/ui/select.ts';
import '../../sdk/web/ui/button.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import type { QueueDesk } from './model.ts';
import { language, relativeTime, text } from '../i18n/i18n.ts';
import type { AllJobsFilter } from '../session/jobs-api.ts';
import { saySize } from '../shop/words.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { frameStyles, noteStyles } from '../ui/piece-styles.ts';
import { isOver, type JobsOf } from './model.ts';
import { queueStyles, stateStyles } from './queue-styles.ts';
import './svc-job-details.ts';
import { jobName, progressOf, reasonLine, sayOff, sayPercent, stateText } from './words.ts';

/** No event tells an administrator of jobs of others. */
const allRefreshMs = 10_000;
const everybody: AllJobsFilter = { cluster: null, usuario: null };
const personPattern = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,62}';

export class SvcQueue extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: QueueDesk;
  #watch = new Watch(this, () => [this.desk.queue.state, this.desk.queue.chosen, this.desk.apps.state, language]);
  #ends: (() => void)[] = [];
  /** The job that Tab reaches; arrows go on from it. */
  #current: string | null = null;

  static override styles = [base, frameStyles, noteStyles, stateStyles, queueStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    const { queue } = this.desk;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && queue.state.get().of !== null) queue.refresh();
    }, allRefreshMs);
    this.#ends = [queue.watch(), () => clearInterval(timer)];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const end of this.#ends) end();
  }

  #show(of: JobsOf): void {
    this.desk.queue.chosen.set(null);
    this.desk.queue.show(of);
  }

  async #choose(id: string | null): Promise<void> {
    const before = this.desk.queue.chosen.get();
    this.desk.queue.chosen.set(id);
    if (id !== null) this.#current = id;
    await this.updateComplete;
    if (id === null && before !== null) this.#focusJob(before);
  }

  #focusJob(id: string): void {
    this.#current = id;
    this.requestUpdate();
    this.renderRoot.querySelector<HTMLElement>(`button[data-job="${CSS.escape(id)}"]`)?.focus();
  }

  #move(event: KeyboardEvent): void {
    const { jobs } = this.desk.queue.state.get();
    const at = jobs.findIndex(({ id }) => id === this.#currentOf(jobs));
    const next: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: jobs.length - 1 };
    const job = jobs[next[event.key] ?? -1];
    if (job === undefined) return;
    event.preventDefault();
    this.#focusJob(job.id);
  }

  #currentOf(jobs: readonly JobView[]): string | undefined {
    return (jobs.find(({ id }) => id === this.#current) ?? jobs[0])?.id;
  }

  override render(): TemplateResult {
    const { state, chosen } = this.desk.queue;
    const { jobs, of, loaded, more, off, problem, clusters, beyond } = state.get();
    const known = beyond === null || beyond === 'gone' ? jobs : [...jobs, beyond];
    const job = known.find(({ id }) => id === chosen.get());
    const current = this.#currentOf(jobs);
    const away = clusters.filter(({ alcancavel }) => !alcancavel);
    return html`<div class="layout ${job === undefined ? '' : 'split'}">
      <div class="list" role="region" aria-label=${this.desk.nameOf('@fila')} tabindex="0">
        ${this.desk.session.admin ? this.#filters(of) : nothing} ${this.#summary()}
        ${problem === null ? nothing : html`<p class="problem" role="alert">${glyph('warning')}<span>${text('queue.loadError', { erro: problem })}</span></p>`}
        ${off === null ? nothing : html`<p class="note" data-off=${off.codigo}>${glyph('warning')}<span>${sayOff(off)}</span></p>`}
        ${away.map(({ nome }) => html`<p class="note">${glyph('warning')}<span>${text('queue.clusterAway', { nome })}</span></p>`)}
        ${beyond === 'gone' ? html`<p class="note">${glyph('warning')}<span>${text('queue.gone')}</span></p>` : nothing}
        ${loaded || problem !== null ? nothing : html`<ui-empty>${text('queue.loading')}</ui-empty>`}
        ${loaded && jobs.length === 0 ? html`<ui-empty>${text(of === null ? 'queue.none' : 'queue.noneFound')}</ui-empty>` : nothing}
        <ul @keydown=${(event: KeyboardEvent) => this.#move(event)}>
          ${repeat(
            jobs,
            ({ id }) => id,
            (each) => this.#row(each, each.id === job?.id, each.id === current),
          )}
        </ul>
        ${more ? html`<ui-button class="more" @click=${() => this.desk.queue.showMore()}>${text('queue.more')}</ui-button>` : nothing}
      </div>
      ${job === undefined ? nothing : html`<svc-job-details .desk=${this.desk} .job=${job} @back=${() => this.#choose(null)}></svc-job-details>`}
    </div>`;
  }

  #summary(): TemplateResult | typeof nothing {
    const { jobs, loaded, more, space, of, clusters } = this.desk.queue.state.get();
    if (!loaded) return nothing;
    const values = { n: jobs.length, ativos: jobs.filter((job) => !isOver(job)).length };
    const lines = [
      text(more ? 'queue.summaryMore' : 'queue.summary', values),
      ...(space === null ? [] : [text('queue.space', { usado: saySize(space.bytes), total: saySize(space.bytesMax) })]),
      ...(of === null
        ? []
        : clusters.map(({ nome, emVoo, emVooMax: max, emEspera }) => text('queue.clusterLine', { nome, emVoo, max, emEspera }))),
    ];
    return html`<p class="summary">${lines.join(' · ')}</p>`;
  }

  /** For administrators. */
  #filters(of: JobsOf): TemplateResult {
    const { clusters } = this.desk.queue.state.get();
    const named = [...new Set([...clusters.map(({ nome }) => nome), ...(of?.cluster == null ? [] : [of.cluster])])];
    const whose = (next: JobsOf, label: string): TemplateResult =>
      html`<ui-button pressed=${(of === null) === (next === null)} @click=${() => this.#show(next)}> ${label} </ui-button>`;
    return html`<div class="filters">
      <div class="whose" role="group" aria-label=${text('queue.whose')}>
        ${whose(null, text('queue.mine'))} ${whose(of ?? everybody, text('queue.all'))}
      </div>
      ${
        of === null
          ? nothing
          : html`<ui-select
                label=${text('queue.cluster')}
                hide-label
                .value=${of.cluster ?? ''}
                @change=${({ target }: Event) => this.#show({ ...of, cluster: (target as SvcUiSelect).value || null })}
              >
                <option value="">${text('queue.anyCluster')}</option>
                ${named.map((nome) => html`<option value=${nome}>${nome}</option>`)}
              </ui-select>
              <ui-field
                type="search"
                pattern=${personPattern}
                maxlength="63"
                label=${text('queue.person')}
                hide-label
                placeholder=${text('queue.personHint')}
                autocomplete="off"
                spellcheck="false"
                .value=${of.usuario ?? ''}
                @change=${({ target }: Event) => this.#byPerson(of, target as SvcUiField)}
              ></ui-field>`
      }
    </div>`;
  }

  #byPerson(of: AllJobsFilter, field: SvcUiField): void {
    field.value = field.value.trim();
    if (field.reportValidity()) this.#show({ ...of, usuario: field.value || null });
  }

  #row(job: JobView, chosen: boolean, current: boolean): TemplateResult {
    const progress = progressOf(job);
    const reason = reasonLine(job);
    const facts = [
      this.desk.apps.find(job.app)?.name ?? job.app,
      ...(this.desk.queue.state.get().of === null ? [] : [job.usuario]),
      job.cluster,
      relativeTime(job.terminadoEm ?? job.iniciadoEm ?? job.criadoEm, Date.now()),
    ];
    return html`<li data-state=${job.estado}>
      <button
        type="button"
        data-job=${job.id}
        tabindex=${current ? 0 : -1}
        aria-current=${chosen ? 'true' : nothing}
        @click=${() => this.#choose(chosen ? null : job.id)}
      >
        <span class="what"><span class="name">${jobName(job)}</span><span class="facts">${facts.join(' · ')}</span></span>
        <span class="how">
          <span class="state"
            ><span class="dot ${job.estado}" aria-hidden="true"></span
            >${stateText(job)}${progress === null ? '' : ` ${sayPercent(progress)}`}</span
          >
          ${reason === '' ? nothing : html`<span class="reason">${reason}</span>`}
        </span>
        ${progress === null ? nothing : html`<ui-progress hide-label .max=${1} .value=${progress} aria-hidden="true"></ui-progress>`}
      </button>
    </li>`;
  }
}

customElements.define('svc-queue', SvcQueue);
