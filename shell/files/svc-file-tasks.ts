/** Copies, moves and uploads under way, with how far they are; what failed stays until it was read. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/progress.ts';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import type { Task, Tasks } from './tasks.ts';

export class SvcFileTasks extends LitElement {
  static override properties = { tasks: { attribute: false } };
  declare tasks: Tasks;
  #watch = new Watch(this, () => [this.tasks.state, language]);

  static override styles = [
    base,
    css`
      ul {
        display: grid;
        gap: 8px;
        max-height: 200px;
        overflow: auto;
        padding: 8px 12px;
        border-top: 1px solid var(--line);
        font-size: 13px;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        align-items: center;
        gap: 2px 8px;
      }
      .label {
        min-width: 0;
        overflow: clip;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      ui-progress {
        --ui-progress-height: 6px;
      }
      .words,
      .errors {
        grid-column: 1 / -1;
        color: var(--muted);
        overflow-wrap: anywhere;
      }
      .errors {
        color: var(--danger);
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override render(): TemplateResult | typeof nothing {
    const tasks = this.tasks.state.get();
    if (tasks.length === 0) return nothing;
    return html`<ul aria-label=${text('files.tasks')}>
      ${repeat(
        tasks,
        ({ id }) => id,
        (task) => this.#task(task),
      )}
    </ul>`;
  }

  #task({ id, label, state, done, total, words, errors, cancel }: Task): TemplateResult {
    const runs = state === 'running';
    const close = text(runs ? 'files.cancelTask' : 'files.dismiss', { nome: label });
    return html`<li data-state=${state}>
      <span class="label">${label}</span>
      <ui-button icon variant="quiet" title=${close} label=${close} @click=${() => (runs ? cancel() : this.tasks.dismiss(id))}>
        ${glyph('close', 16)}
      </ui-button>
      ${
        runs
          ? html`<ui-progress hide-label label=${label} .max=${total > 0 ? total : 1} .value=${total > 0 ? done : null}></ui-progress>`
          : html`<span class="words"
              >${text(state === 'done' ? 'files.done' : state === 'failed' ? 'files.failed' : 'files.cancelled')}</span
            >`
      }
      ${runs && words !== '' ? html`<span class="words">${words}</span>` : nothing}
      ${errors.map((error) => html`<span class="errors" role="alert">${error}</span>`)}
    </li>`;
  }
}

customElements.define('svc-file-tasks', SvcFileTasks);
