/** Outputs of a job, to be downloaded one by one or all at once, also while it runs. */
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { JobView, OutputsAnswer } from '../../schema/wire/jobs.ts';
import { language, text } from '../i18n/i18n.ts';
import { archiveUrl, outputUrl, readOutputs } from '../session/jobs-api.ts';
import { sayError } from '../session/say-error.ts';
import { saySize } from '../shop/words.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { noteStyles } from '../ui/piece-styles.ts';
import { isOver } from './model.ts';

type Output = OutputsAnswer['saidas'][number];

export class SvcJobOutputs extends LitElement {
  static override properties = {
    job: { attribute: false },
    mine: { attribute: false },
    outputs: { state: true },
    problem: { state: true },
  };
  declare job: JobView;
  declare mine: boolean;
  declare outputs: readonly Output[] | null;
  declare problem: string | null;
  #watch = new Watch(this, () => [language]);
  #reading = false;
  #again = false;

  constructor() {
    super();
    this.outputs = null;
    this.problem = null;
  }

  static override styles = [
    base,
    noteStyles,
    css`
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 8px;
      }
      h4 {
        flex: 1;
        margin: 0;
        font-size: 13px;
      }
      li {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: var(--control);
        border-top: 1px solid var(--line);
        font-size: 13px;
      }
      .path {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .quiet {
        color: var(--muted);
        font-size: 12px;
      }
      ul {
        max-height: 240px;
        overflow: auto;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('job');
    if (!changed.has('job')) return;
    if (before?.id !== this.job.id) this.outputs = null;
    // A finished job gets no more outputs.
    if (before?.id !== this.job.id || !isOver(before) || this.outputs === null) void this.#read();
  }

  async #read(): Promise<void> {
    this.#again = this.#reading;
    if (this.#reading) return;
    this.#reading = true;
    const { id } = this.job;
    try {
      const outputs = await readOutputs({ id, mine: this.mine });
      if (id === this.job.id) [this.outputs, this.problem] = [outputs, null];
    } catch (error) {
      if (id === this.job.id) this.problem = text('queue.outputsError', { erro: sayError(error) });
    }
    this.#reading = false;
    if (this.#again && this.isConnected) await this.#read();
  }

  override render(): TemplateResult {
    const { job, outputs, problem } = this;
    const whole = outputs?.filter(({ completo }) => completo) ?? [];
    return html`<header>
        <h4>${text('queue.outputs')}</h4>
        ${
          whole.length === 0
            ? nothing
            : html`<ui-button href=${archiveUrl({ id: job.id, mine: this.mine })} download=${`${fileName(job)}.tar`}>
                ${glyph('download')}${text('queue.outputsAll')}
              </ui-button>`
        }
      </header>
      ${problem === null ? nothing : html`<p class="problem">${glyph('warning')}<span>${problem}</span></p>`}
      ${
        outputs === null || outputs.length > 0
          ? nothing
          : html`<p class="quiet">${text(isOver(job) ? 'queue.outputsNever' : 'queue.outputsNone')}</p>`
      }
      <ul>
        ${outputs?.map((output) => this.#row(output))}
      </ul>`;
  }

  #row({ caminho, tamanho, ate, completo, recusada }: Output): TemplateResult {
    const label = text('queue.download', { caminho });
    const arriving = text('queue.arriving', { aqui: saySize(ate), total: saySize(tamanho) });
    return html`<li>
      <span class="path">${caminho}</span>
      <span class="quiet">${recusada ? text('queue.refused') : completo ? saySize(tamanho) : arriving}</span>
      ${
        completo
          ? html`<ui-button
              icon
              variant="quiet"
              href=${outputUrl({ id: this.job.id, mine: this.mine }, caminho)}
              download=${caminho.split('/').at(-1) ?? caminho}
              label=${label}
              title=${label}
              >${glyph('download')}</ui-button
            >`
          : nothing
      }
    </li>`;
  }
}

/** File name of an archive, in characters that all file systems take. */
const fileName = ({ nome, id }: JobView): string =>
  nome.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|(?<![-.])[-.]+$/g, '') || id;

customElements.define('svc-job-outputs', SvcJobOutputs);
