/** The task manager: what runs, why or why not, and what can be done about it; live by the events of the portal. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/table.ts';
import { containmentText } from '../../schema/texts/containment.ts';
import { gpuText } from '../../schema/texts/gpu.ts';
import { reasonText } from '../../schema/texts/reasons.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import { language, relativeTime, shownAs, text, type TextKey } from '../i18n/i18n.ts';
import { restartApp, startApp, stopApp } from '../session/api.ts';
import { sayError } from '../session/say-error.ts';
import { type Signal, Watch } from '../state/signal.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import { frameStyles, noteStyles } from '../ui/piece-styles.ts';
import { tileStyles } from '../ui/tile-styles.ts';
import './app-errors.ts';
import './log-view.ts';
import { ordered, type RowOrder, type SortColumn } from './row-order.ts';
import { taskStyles } from './task-styles.ts';
import { sayOnClose } from './on-close.ts';
import { sayCpu, sayMemory } from './usage.ts';
import type { SecretsDesk } from '../secrets/svc-secrets.ts';

export interface TasksDesk extends SecretsDesk {
  /** The app that the task manager shows the details of. */
  readonly tasksApp: Signal<string | null>;
}

/** Connections and pids change without an event. */
const refreshMs = 4_000;

/** Words of the head, class, and what is sorted by it. */
const columns: readonly (readonly [TextKey, string, SortColumn | null])[] = [
  ['tasks.app', '', 'app'],
  ['tasks.state', '', 'state'],
  ['tasks.pid', 'number wide', 'pid'],
  ['tasks.connections', 'number wide', 'connections'],
  ['tasks.cpu', 'number wide', 'cpu'],
  ['tasks.memory', 'number wide', 'memory'],
  ['tasks.contained', 'wide', null],
  ['tasks.actions', 'actions', null],
];

type Verb = 'start' | 'stop' | 'restart';

const verbs: Readonly<Record<Verb, (app: string) => Promise<unknown>>> = {
  start: startApp,
  stop: stopApp,
  restart: restartApp,
};

/** Which buttons make sense: an app that is starting can be stopped, also while it waits or fails. */
export function possible(verb: Verb, app: Pick<AppProjection, 'status' | 'wanted' | 'escopo' | 'drain'>): boolean {
  // The server keeps the one backend that everybody shares. Source: rules 2.1 `escopo: servidor`.
  if (app.escopo === 'servidor') return false;
  const down = app.status === 'stopped' || app.status === 'failed';
  if (verb === 'start') return app.drain === null && (down || app.status === 'backoff');
  if (verb === 'stop') return app.status !== 'stopped' && app.status !== 'stopping';
  return app.status === 'running' || app.status === 'starting';
}

export class SvcTaskManager extends LitElement {
  static override properties = { desk: { attribute: false }, busy: { state: true }, problem: { state: true }, order: { state: true } };
  declare desk: TasksDesk;
  declare busy: ReadonlySet<string>;
  declare problem: string | null;
  declare order: RowOrder;
  #watch = new Watch(this, () => [this.desk.apps.state, this.desk.tasksApp, language]);
  /** The app whose row was last brought into view. */
  #seen: string | null = null;
  /** The focused element before this drawing. */
  #focused: Element | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #endUsage: () => void = () => {};

  constructor() {
    super();
    this.busy = new Set();
    this.problem = null;
    this.order = { column: 'app', direction: 'ascending' };
  }

  static override styles = [base, tileStyles, frameStyles, noteStyles, taskStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#endUsage = this.desk.apps.watchUsage();
    this.#timer = setInterval(() => document.visibilityState === 'visible' && this.desk.apps.refresh(), refreshMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    this.#endUsage();
  }

  async #do(verb: Verb, app: string): Promise<void> {
    this.busy = new Set([...this.busy, app]);
    this.problem = null;
    try {
      await verbs[verb](app);
    } catch (error) {
      this.problem = text('tasks.error', { erro: sayError(error) });
    }
    this.busy = new Set([...this.busy].filter((name) => name !== app));
    this.desk.apps.refresh();
  }

  override willUpdate(): void {
    this.#focused = this.shadowRoot?.activeElement ?? null;
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    // A row that moves in the document loses the focus.
    const focused = this.#focused;
    if (focused instanceof HTMLElement && focused.isConnected && this.shadowRoot?.activeElement === null)
      focused.focus({ preventScroll: true });
    const chosen = this.desk.tasksApp.get();
    if (changed.has('desk') || chosen === this.#seen) return;
    this.#seen = chosen;
    this.renderRoot.querySelector('tr.chosen')?.scrollIntoView({ block: 'nearest' });
  }

  override render(): TemplateResult {
    const { apps, loaded, error } = this.desk.apps.state.get();
    const running = apps.filter(({ status }) => status === 'running').length;
    const chosen = apps.find(({ id }) => id === this.desk.tasksApp.get());
    return html`<div class="layout ${chosen === undefined ? '' : 'split'}">
      <div class="list">
        <p class="summary" role="status">${text('tasks.summary', { n: running, total: apps.length })}</p>
        ${
          this.problem === null && error === null
            ? nothing
            : html`<p class="problem" role="alert">
                ${glyph('warning')}<span>${this.problem ?? text('tasks.loadError', { erro: error ?? '' })}</span>
              </p>`
        }
        ${loaded && apps.length === 0 ? html`<ui-empty>${text('tasks.none')}</ui-empty>` : this.#table(apps, chosen)}
      </div>
      ${chosen === undefined ? nothing : this.#details(chosen)}
    </div>`;
  }

  #table(apps: readonly AppProjection[], chosen: AppProjection | undefined): TemplateResult {
    const { order } = this;
    const sorted = ordered(apps, order, (status) => text(`state.${status}`));
    return html`<ui-table
      label=${this.desk.nameOf('@tarefas')}
      sort-manual
      @sort=${({ detail }: CustomEvent<RowOrder>) => (this.order = { column: detail.column, direction: detail.direction })}
    >
      <table>
        <thead>
          <tr>
            ${columns.map(
              ([key, name, column]) =>
                html`<th
                  scope="col"
                  class=${name}
                  data-key=${column ?? nothing}
                  data-sort=${column === null ? nothing : name === '' ? 'text' : 'number'}
                  aria-sort=${column === null ? nothing : column === order.column ? order.direction : 'none'}
                >
                  ${text(key)}
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${repeat(
            sorted,
            ({ id }) => id,
            (app) => this.#row(app, chosen?.id === app.id),
          )}
        </tbody>
      </table>
    </ui-table>`;
  }

  #row(app: AppProjection, chosen: boolean): TemplateResult {
    const choose = (): void => this.desk.tasksApp.set(chosen ? null : app.id);
    return html`<tr class=${chosen ? 'chosen' : ''} data-app=${app.id} data-status=${app.status}>
      <th scope="row">
        <button class="name" type="button" aria-expanded=${chosen} @click=${choose}>
          <svc-app-icon .app=${app} .size=${28}></svc-app-icon>
          <span><span class="title">${app.name}</span><span class="id">${app.id}</span></span>
        </button>
      </th>
      <td>
        <span class="state ${app.status}"><span class="dot ${app.status}" aria-hidden="true"></span>${text(`state.${app.status}`)}</span>
        <span class="reason">${reasonText(app.reason, language.get())}${this.#failures(app)}</span>
        ${this.#badges(app)}
      </td>
      <td class="number wide">${app.pid ?? '–'}</td>
      <td class="number wide">${app.connections ?? '–'}</td>
      <td class="number wide" data-usage="cpu">${sayCpu(app.uso)}</td>
      <td class="number wide" data-usage="memoria">${sayMemory(app.uso)}</td>
      <td class="wide">
        ${
          app.pid === null
            ? '–'
            : app.contained
              ? text('tasks.containedYes')
              : html`<span class="badge" title=${text('tasks.containedHint')}>${text('tasks.containedNo')}</span>`
        }
      </td>
      <td class="actions">
        <div>
          ${this.#action('start', app, 'start', 'tasks.startApp')} ${this.#action('stop', app, 'stop', 'tasks.stopApp')}
          ${this.#action('restart', app, 'reload', 'tasks.restartApp')}
        </div>
      </td>
    </tr>`;
  }

  #failures(app: AppProjection): string {
    const next =
      app.nextAttemptAtMs === null || app.nextAttemptAtMs <= Date.now()
        ? ''
        : ` · ${text('tasks.next', { quando: relativeTime(app.nextAttemptAtMs, Date.now()) })}`;
    return app.failures === 0 ? next : ` · ${text('tasks.failures')}: ${app.failures}${next}`;
  }

  #badges(app: AppProjection): TemplateResult | typeof nothing {
    const missing = app.secrets.missing.length > 0;
    const { update } = app;
    if (!app.stale && !app.pinned && !missing && update === null) return nothing;
    return html`<span class="badges">
      ${app.stale ? html`<span class="badge" title=${text('tasks.staleHint')}>${text('tasks.stale')}</span>` : nothing}
      ${
        update === null
          ? nothing
          : html`<span class="badge calm" data-update=${update} title=${text('tasks.updateHint')}
              >${text('tasks.update', { versao: update })}</span
            >`
      }
      ${missing ? html`<span class="badge" title=${app.secrets.missing.join(', ')}>${text('tasks.secretMissing')}</span>` : nothing}
      ${app.pinned ? html`<span class="badge calm" title=${text('tasks.pinnedHint')}>${text('tasks.pinned')}</span>` : nothing}
    </span>`;
  }

  #action(verb: Verb, app: AppProjection, name: Glyph, key: TextKey): TemplateResult {
    const label = text(key, { nome: app.name });
    return html`<ui-button
      icon
      variant="quiet"
      data-verb=${verb}
      label=${label}
      title=${label}
      ?disabled=${this.busy.has(app.id) || !possible(verb, app)}
      @click=${() => this.#do(verb, app.id)}
    >
      ${glyph(name)}
    </ui-button>`;
  }

  #verb(verb: Verb, app: AppProjection, name: Glyph, key: TextKey): TemplateResult {
    return html`<ui-button ?disabled=${this.busy.has(app.id) || !possible(verb, app)} @click=${() => this.#do(verb, app.id)}>
      ${glyph(name)}${text(key)}
    </ui-button>`;
  }

  /** Only for an app that asks for secrets. */
  #secrets(app: AppProjection): TemplateResult | typeof nothing {
    const { declared, missing, restartNeeded } = app.secrets;
    if (declared === 0) return nothing;
    const note =
      missing.length > 0
        ? text('secrets.missing', { n: missing.length, nomes: missing.join(', ') })
        : restartNeeded
          ? text('secrets.restartNeeded', { nome: app.name })
          : '';
    return html`<div class="secrets">
      <ui-button data-verb="secrets" @click=${() => this.desk.secretsApp.set(app.id)}> ${glyph('key')}${text('secrets.open')} </ui-button>
      ${note === '' ? nothing : html`<span class="badge">${note}</span>`}
    </div>`;
  }

  #details(app: AppProjection): TemplateResult {
    const since = new Intl.DateTimeFormat(shownAs(), { dateStyle: 'short', timeStyle: 'medium' }).format(app.sinceMs);
    const facts: readonly (readonly [TextKey, string])[] = [
      ['tasks.version', app.version],
      ['tasks.pid', String(app.pid ?? '–')],
      ['tasks.connections', String(app.connections ?? '–')],
      ...(app.busy === null ? [] : ([['tasks.busy', app.busy]] as const)),
      ['tasks.cpu', sayCpu(app.uso)],
      ['tasks.memory', sayMemory(app.uso)],
      ['tasks.failures', `${app.failures}${this.#failures({ ...app, failures: 0 })}`],
      ['tasks.contained', app.contained ? text('tasks.containedYes') : text('tasks.containedNo')],
      ['tasks.onClose', sayOnClose(app.aoFechar)],
    ];
    const { gpuVerdict } = app;
    const loose = app.pid === null ? '' : containmentText(app.containedReason, language.get());
    return html`<section class="details" aria-label=${text('tasks.details', { nome: app.name })}>
      <header>
        <h3>${app.name}</h3>
        <span class="since">${text(`state.${app.status}`)}, ${text('tasks.since', { quando: since })}</span>
        <ui-button icon variant="quiet" label=${text('dialog.close')} @click=${() => this.desk.tasksApp.set(null)}>
          ${glyph('close')}
        </ui-button>
      </header>
      <div class="verbs">
        ${this.#verb('start', app, 'start', 'tasks.start')} ${this.#verb('stop', app, 'stop', 'tasks.stop')}
        ${this.#verb('restart', app, 'reload', 'tasks.restart')}
      </div>
      <p class="cause"><strong>${reasonText(app.reason, language.get())}.</strong></p>
      <dl>
        ${facts.map(
          ([key, value]) =>
            html`<div>
              <dt>${text(key)}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
        ${
          gpuVerdict === null
            ? nothing
            : html`<div>
                <dt>${text('tasks.gpu')}</dt>
                <dd>${text(gpuVerdict.concedida ? 'tasks.gpuYes' : 'tasks.gpuNo')}: ${gpuText(gpuVerdict.motivo, language.get())}</dd>
              </div>`
        }
      </dl>
      ${this.#secrets(app)} ${loose === '' ? nothing : html`<p class="loose">${loose}</p>`}
      ${
        // Message of the portal for engineers, in English.
        app.message === ''
          ? nothing
          : html`<details class="technical">
              <summary>${text('tasks.technical')}</summary>
              <p lang="en">${app.message}</p>
            </details>`
      }
      <svc-app-errors .app=${app.id}></svc-app-errors>
      <svc-log-view .app=${app.id} .name=${app.name} .run=${app.pid}></svc-log-view>
    </section>`;
  }
}

customElements.define('svc-task-manager', SvcTaskManager);
