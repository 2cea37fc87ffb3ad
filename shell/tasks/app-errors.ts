/** The errors that an app reported of itself (`svc.metricas.relatarErro`), by stack: how often, in which version, when last. Nothing where there are none. */
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ErrorGroup } from '../../schema/wire/metrics.ts';
import { language, relativeTime, text } from '../i18n/i18n.ts';
import { readErrors } from '../session/metrics-api.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';

const refreshMs = 4_000;

export class SvcAppErrors extends LitElement {
  static override properties = { app: { attribute: false }, groups: { state: true } };
  declare app: string;
  declare groups: readonly ErrorGroup[];
  #watch = new Watch(this, () => [language]);
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.groups = [];
  }

  static override styles = [
    base,
    css`
      summary {
        min-height: 32px;
        cursor: pointer;
        font-size: 13px;
        font-weight: 600;
      }
      ul {
        max-height: 240px;
        margin: 0;
        padding: 0;
        overflow: auto;
        list-style: none;
      }
      li {
        padding: 6px 0;
        border-top: 1px solid var(--line);
        font-size: 13px;
        overflow-wrap: anywhere;
      }
      .facts {
        display: block;
        color: var(--muted);
        font-size: 12px;
      }
      li summary {
        color: var(--muted);
        font-weight: 400;
      }
      pre {
        margin: 0;
        padding: 8px;
        overflow: auto;
        background: var(--field);
        font: 12px/1.5 var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      @media (pointer: coarse) {
        summary {
          min-height: 44px;
        }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#timer = setInterval(() => document.visibilityState === 'visible' && void this.#read(), refreshMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('app')) return;
    this.groups = [];
    void this.#read();
  }

  /** Reads the errors of the app; a failure is retried at the next turn, and the shown ones stay. */
  async #read(): Promise<void> {
    const { app } = this;
    const groups = await readErrors(app).catch(() => null);
    if (groups !== null && app === this.app) this.groups = groups;
  }

  override render(): TemplateResult | typeof nothing {
    if (this.groups.length === 0) return nothing;
    return html`<details>
      <summary>${text('errors.title', { n: this.groups.length })}</summary>
      <ul>
        ${this.groups.map((group) => this.#group(group))}
      </ul>
    </details>`;
  }

  #group({ tipo, mensagem, pilha, versao, de, n, ultimoEm }: ErrorGroup): TemplateResult {
    const facts = [
      text('errors.count', { n }),
      text(de === 'pagina' ? 'errors.inPage' : 'errors.inBackend'),
      text('errors.version', { versao }),
      text('errors.last', { quando: relativeTime(ultimoEm, Date.now()) }),
    ];
    return html`<li>
      <strong>${tipo}</strong>: ${mensagem}
      <span class="facts">${facts.join(' · ')}</span>
      ${
        pilha === ''
          ? nothing
          : html`<details>
              <summary>${text('errors.stack')}</summary>
              <pre tabindex="0">${pilha}</pre>
            </details>`
      }
    </li>`;
  }
}

customElements.define('svc-app-errors', SvcAppErrors);
