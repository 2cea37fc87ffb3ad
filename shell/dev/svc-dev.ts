/** The window of `svc dev`: what came of the last change, errors of the manifest with their place, and the log of the backend. */
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DevAnswer, DevChange } from '../../schema/wire/dev.ts';
import type { DevDesk } from './model.ts';
import { language, relativeTime, shownAs, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { filesText, whyText } from './words.ts';

export class SvcDev extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: DevDesk;
  /** Follows the end until the person scrolls away from it. */
  #atEnd = true;

  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
        background: var(--surface);
        font-size: 13px;
      }
      .facts {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 4px 14px;
        padding: 12px 16px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        overflow-wrap: anywhere;
      }
      .outcome {
        font-weight: 600;
      }
      .crashed,
      .unbuilt,
      .refused {
        color: var(--danger);
      }
      .ready,
      .built,
      .reloaded {
        color: var(--good);
      }
      section {
        padding: 0 16px 12px;
      }
      h3 {
        font-size: 13px;
        font-weight: 600;
      }
      pre {
        margin: 6px 0 0;
        padding: 10px;
        overflow: auto;
        border-radius: 8px;
        background: var(--field);
        font: 12px/1.5 var(--mono);
      }
      .errors pre {
        border-inline-start: 3px solid var(--danger);
      }
      .log {
        display: flex;
        flex: 1;
        flex-direction: column;
        min-height: 120px;
      }
      .log pre {
        flex: 1;
        min-height: 0;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .line {
        display: block;
      }
      .who {
        color: var(--muted);
      }
      .dev {
        color: var(--accent-ink);
      }
      .quiet {
        color: var(--muted);
      }
      @media (max-width: 420px) {
        .facts {
          grid-template-columns: minmax(0, 1fr);
          gap: 0;
        }
        dd {
          margin-bottom: 6px;
        }
      }
    `,
  ];

  /** Not before: the element is made before its code is here, and gets its properties then. */
  override firstUpdated(): void {
    const { dev } = this.desk;
    void new Watch(this, () => [...(dev === null ? [] : [dev.state]), language]);
    dev?.refresh();
  }

  get #log(): HTMLElement | null {
    return this.renderRoot.querySelector('.log pre');
  }

  override updated(_changed: PropertyValues<this>): void {
    const log = this.#log;
    if (log !== null && this.#atEnd) log.scrollTop = log.scrollHeight;
  }

  focusContent(): void {
    this.#log?.focus({ preventScroll: true });
  }

  override render(): TemplateResult {
    const state = this.desk.dev?.state.get() ?? null;
    if (state === null) return html`<p class="facts quiet" role="status">${text('load.asking')}</p>`;
    return html`
      <dl class="facts">
        <dt>${text('dev.folder')}</dt>
        <dd>${state.folder}</dd>
        <dt>${text('dev.mode')}</dt>
        <dd>${text(`dev.mode.${state.mode}`)}</dd>
        <dt>${text('dev.last')}</dt>
        <dd><span role="status">${state.last === null ? text('dev.none') : this.#last(state.last)}</span></dd>
      </dl>
      ${
        state.manifest.length === 0
          ? nothing
          : html`<section class="errors">
              <h3>${text('dev.manifestBad')}</h3>
              <pre tabindex="0" aria-label=${text('dev.manifestBad')}>${state.manifest.join('\n')}</pre>
            </section>`
      }
      <section class="log">
        <h3>${text('dev.log')}</h3>
        <pre
          tabindex="0"
          role="log"
          aria-live="off"
          aria-label=${text('dev.log')}
          @scroll=${({ currentTarget: box }: Event & { currentTarget: HTMLElement }) =>
            (this.#atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 24)}
        >
${state.log.length === 0 ? html`<span class="quiet">${text('dev.noLog')}</span>` : state.log.map((line) => this.#line(line))}</pre>
      </section>
    `;
  }

  #last(change: DevChange): TemplateResult {
    const { files, outcome, atMs } = change;
    const time = new Intl.DateTimeFormat(shownAs(), { timeStyle: 'medium' }).format(new Date(atMs));
    const why = whyText(change);
    return html`<span class="outcome ${outcome}">${outcomeText(change)}</span> · ${filesText(files)} ·
      <time title=${relativeTime(atMs, Date.now())}>${time}</time>${why === '' ? nothing : html`<br />${why}`}`;
  }

  #line({ source, person, text: words, change }: DevAnswer['log'][number]): TemplateResult {
    if (change !== null) return html`<span class="line dev">${filesText(change.files)} → ${outcomeText(change)}</span>`;
    const who = [source === 'app' ? 'app.log' : source === 'build' ? 'build.sh' : '', person].filter((part) => part !== '').join(' ');
    return html`<span class="line">${who === '' ? nothing : html`<span class="who">${who} </span>`}${words}</span>`;
  }
}

const outcomeText = ({ outcome, tookMs }: DevChange): string =>
  tookMs === null ? text(`dev.outcome.${outcome}`) : `${text(`dev.outcome.${outcome}`)} ${text('dev.took', { ms: tookMs })}`;

customElements.define('svc-dev', SvcDev);
