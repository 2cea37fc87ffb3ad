/** The last lines of an app's log, followed as they are written; and those of the run before. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/checkbox.ts';
import '../../sdk/web/ui/radio-group.ts';
import { text } from '../i18n/i18n.ts';
import { followLog, readPreviousLog } from '../session/api.ts';
import { sayError } from '../session/say-error.ts';
import { base } from '../ui/base.ts';
import { appendLines } from './lines.ts';
import { logStyles } from './log-styles.ts';

const tailLines = 200;
const retryMs = 2_000;

export class SvcLogView extends LitElement {
  static override properties = {
    app: { attribute: false },
    name: { attribute: false },
    run: { attribute: false },
    previous: { state: true },
    follow: { state: true },
    lines: { state: true },
    problem: { state: true },
  };
  declare app: string;
  declare name: string;
  /** Changes when another process writes: the log starts over. */
  declare run: number | null;
  declare previous: boolean;
  declare follow: boolean;
  declare lines: string;
  declare problem: string | null;
  #reading: AbortController | null = null;

  constructor() {
    super();
    this.previous = false;
    this.follow = true;
    this.lines = '';
    this.problem = null;
  }

  static override styles = [base, logStyles];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#reading?.abort();
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('app') || changed.has('previous') || (changed.has('run') && !this.previous)) void this.#read();
    const box = this.renderRoot.querySelector('pre');
    if (changed.has('lines') && this.follow && box !== null) box.scrollTop = box.scrollHeight;
  }

  async #read(): Promise<void> {
    this.#reading?.abort();
    const reading = new AbortController();
    const { signal } = reading;
    this.#reading = reading;
    this.lines = '';
    this.problem = null;
    try {
      if (this.previous) {
        const all = await readPreviousLog(this.app, tailLines);
        if (!signal.aborted) this.lines = appendLines('', all);
        return;
      }
      for await (const more of followLog(this.app, tailLines, signal)) {
        if (!signal.aborted) this.lines = appendLines(this.lines, more);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.problem = text('log.error', { erro: sayError(error) });
    }
    // The stream ended: the portal went away or the log was rotated.
    if (!this.previous) setTimeout(() => !signal.aborted && void this.#read(), retryMs);
  }

  override render(): TemplateResult {
    return html`
      <div class="bar">
        <ui-radio-group
          inline
          hide-label
          label=${text('log.title', { nome: this.name })}
          .value=${this.previous ? 'previous' : 'current'}
          @change=${(event: Event) => (this.previous = (event.target as SvcUiRadioGroup).value === 'previous')}
        >
          <option value="current">${text('log.current')}</option>
          <option value="previous">${text('log.previous')}</option>
        </ui-radio-group>
        ${
          this.previous
            ? nothing
            : html`<ui-checkbox
                label=${text('log.follow')}
                .checked=${this.follow}
                @change=${(event: Event) => (this.follow = (event.target as SvcUiCheckbox).checked)}
              ></ui-checkbox>`
        }
      </div>
      <pre
        tabindex="0"
        role="log"
        aria-live="off"
        aria-label=${text('log.title', { nome: this.name })}
        class=${this.lines === '' ? 'quiet' : ''}
      >
${this.problem ?? (this.lines === '' ? text('log.empty') : this.lines)}</pre>
    `;
  }
}

customElements.define('svc-log-view', SvcLogView);
