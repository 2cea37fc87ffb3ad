/** Where the person is signed in; ends sessions: one, all others, or all. In its dialog and in Settings. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import type { SessionsAnswer } from '../../schema/wire/http.ts';
import { language, relativeTime, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { browserOf } from './agent.ts';
import { endAllSessions, endSession, listSessions } from './api.ts';
import { beforeLeaving, toSignIn } from './leave.ts';
import { sayError } from './say-error.ts';

type Row = SessionsAnswer['sessoes'][number];

export class SvcSessionList extends LitElement {
  static override properties = { rows: { state: true }, problem: { state: true }, busy: { state: true } };
  /** Null until they were read. */
  declare rows: readonly Row[] | null;
  declare problem: string | null;
  declare busy: boolean;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.rows = null;
    this.problem = null;
    this.busy = false;
  }

  static override styles = [
    base,
    css`
      .lead,
      .problem {
        padding: 8px 0;
        color: var(--muted);
      }
      .problem {
        color: var(--danger);
      }
      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 16px;
        padding: 12px 0;
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      .what {
        flex: 1 1 200px;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .what p {
        color: var(--muted);
        font-size: 13px;
        line-height: 1.5;
      }
      .own {
        color: var(--good);
        font-size: 13px;
        font-weight: 600;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        justify-content: end;
        gap: 8px;
        padding-top: 12px;
        border-top: 1px solid var(--line);
      }
    `,
  ];

  override firstUpdated(): void {
    void this.#watch;
    void this.#load();
  }

  async #load(): Promise<void> {
    await this.#try(async () => {
      this.rows = await listSessions();
    });
  }

  async #try(act: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      await act();
    } catch (error) {
      this.problem = text('tasks.error', { erro: sayError(error) });
    }
    this.busy = false;
  }

  #end(row: Row): void {
    if (row.current) beforeLeaving(() => void this.#endNow(row));
    else void this.#endNow(row);
  }

  async #endNow(row: Row): Promise<void> {
    await this.#try(async () => {
      await endSession(row.id);
      if (row.current) return toSignIn();
      this.rows = await listSessions();
    });
    // The button that was pressed is gone.
    this.renderRoot.querySelector<HTMLElement>('.lead')?.focus();
  }

  async #endAll(others: boolean): Promise<void> {
    await this.#try(async () => {
      await endAllSessions(others);
      if (!others) return toSignIn();
      this.rows = await listSessions();
    });
  }

  override render(): TemplateResult {
    const { rows } = this;
    return html`
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
      <p class="lead" tabindex="-1">${text('sessions.lead')}</p>
      <ul aria-busy=${rows === null}>
        ${repeat(
          rows ?? [],
          ({ id }) => id,
          (row) => this.#row(row),
        )}
      </ul>
      <div class="actions">
        <ui-button ?disabled=${this.busy || (rows?.length ?? 0) < 2} @click=${() => this.#endAll(true)}>
          ${text('sessions.endOthers')}
        </ui-button>
        <ui-button ?disabled=${this.busy} @click=${() => beforeLeaving(() => void this.#endAll(false))}
          >${text('sessions.endAll')}</ui-button
        >
      </div>
    `;
  }

  #row(row: Row): TemplateResult {
    const name = browserOf(row.agent) ?? text('sessions.unknown');
    const facts = [
      text(`sessions.by.${row.method}`),
      row.address,
      text('sessions.seen', { quando: relativeTime(row.seenAtMs, Date.now()) }),
      ...(row.admin ? [text('sessions.admin')] : []),
    ];
    return html`<li>
      <div class="what">
        <strong>${name}</strong> ${row.current ? html`<span class="own">${text('sessions.current')}</span>` : nothing}
        <p>${facts.filter((fact) => fact !== '').join(' · ')}</p>
      </div>
      <ui-button
        ?disabled=${this.busy}
        label=${text('sessions.endOne', { nome: name })}
        description=${facts.filter((fact) => fact !== '').join(' · ')}
        @click=${() => this.#end(row)}
      >
        ${text('sessions.end')}
      </ui-button>
    </li>`;
  }
}

customElements.define('svc-session-list', SvcSessionList);
