/**
 * Acts of the person and acts on what is theirs, page by page: a section of Settings. Decision:
 * docs/decisions/0403-what-a-person-sees-of-the-record.md
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { ActivityAnswer, ActivityRow } from '../../schema/wire/audit.ts';
import { catalogues, language, relativeTime, shownAs, text, type TextKey } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { readActivity } from './api.ts';
import { sayError } from './say-error.ts';

export class SvcActivity extends LitElement {
  static override properties = { rows: { state: true }, last: { state: true }, problem: { state: true }, busy: { state: true } };
  declare rows: readonly ActivityRow[];
  /** The newest answer; null until there is one. */
  declare last: ActivityAnswer | null;
  declare problem: string | null;
  declare busy: boolean;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.rows = [];
    this.last = null;
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
        padding: 10px 0;
        overflow-wrap: anywhere;
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      li p {
        color: var(--muted);
        font-size: 13px;
        line-height: 1.5;
      }
      .not {
        color: var(--danger);
        font-size: 13px;
        font-weight: 600;
      }
      .actions {
        display: flex;
        justify-content: end;
        padding-top: 12px;
      }
    `,
  ];

  override firstUpdated(): void {
    void this.#watch;
    void this.#more();
  }

  async #more(): Promise<void> {
    this.busy = true;
    this.problem = null;
    const before = this.rows.length;
    try {
      this.last = await readActivity(this.last?.antes ?? null);
      this.rows = [...this.rows, ...this.last.atividade];
    } catch (error) {
      this.problem = text('tasks.error', { erro: sayError(error) });
    }
    this.busy = false;
    if (before === 0 || this.rows.length === before) return;
    // The keyboard goes on where the new lines begin; the button may be gone.
    await this.updateComplete;
    this.renderRoot.querySelectorAll('li')[before]?.focus();
  }

  override render(): TemplateResult {
    const { rows, last, problem, busy } = this;
    return html`
      <p class="lead">${text('activity.lead')} ${last?.parcial === true ? text('activity.partial') : nothing}</p>
      <ul aria-label=${text('activity.list')} aria-busy=${busy}>
        ${rows.map((row) => line(row))}
      </ul>
      ${
        last !== null && rows.length === 0
          ? html`<p class="lead">${text(last.antes === null ? 'activity.none' : 'activity.noneSoFar')}</p>`
          : nothing
      }
      ${problem === null ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
      ${
        last?.antes === null
          ? nothing
          : html`<div class="actions"><ui-button ?disabled=${busy} @click=${() => this.#more()}>${text('activity.more')}</ui-button></div>`
      }
    `;
  }
}

function line(row: ActivityRow): TemplateResult {
  const at = new Date(row.em);
  const facts = [
    who(row),
    ...(row.de === null ? [] : [row.de.endereco, row.de.navegador ?? '']),
    ...(row.vezes > 1 ? [text('activity.times', { n: row.vezes })] : []),
  ];
  return html`<li tabindex="-1">
    <strong>${titleOf(row)}</strong>${row.objeto === null ? nothing : html` ${row.objeto}`}
    ${row.resultado === 'ok' ? nothing : html`<span class="not">${text(`activity.${row.resultado}`)}</span>`}
    <p>
      <time datetime=${at.toISOString()} title=${at.toLocaleString(shownAs())}>${relativeTime(row.em, Date.now())}</time>
      · ${facts.filter((fact) => fact !== '').join(' · ')}
    </p>
  </li>`;
}

function titleOf({ acao, resultado }: ActivityRow): string {
  if (acao === 'session/open' && resultado !== 'ok') return text('activity.failedSignIn');
  const key = `activity.${acao}`;
  return key in catalogues.pt ? text(key as TextKey) : text('activity.other', { ato: acao });
}

function who({ quem, nome }: ActivityRow): string {
  if (quem === 'admin') return nome === null ? text('activity.admin') : text('activity.adminNamed', { nome });
  if (quem === 'app') return text('activity.app', { nome: nome ?? '' });
  return quem === 'pessoa' ? (nome ?? '') : text(`activity.${quem}`);
}

customElements.define('svc-activity', SvcActivity);
