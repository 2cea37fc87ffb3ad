/** Servers with their state, why it is so, and the checks of one when asked for. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { reasonText } from '../../schema/texts/reasons.ts';
import { language, relativeTime, text } from '../i18n/i18n.ts';
import { readObjects, readServerChecks, readWhy } from '../session/admin-api.ts';
import { sayError } from '../session/say-error.ts';
import { Polled } from '../state/polled.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { checkRows, type Check } from './check-rows.ts';
import { adminPanelStyles } from './styles.ts';

const refreshMs = 5_000;
const calm = new Set(['ready', 'draining', 'drained']);

/** This machine, and a server with a kit of its own, have none beside those of the portal. */
const hasChecks = (details: unknown): boolean => typeof details === 'object' && details !== null && 'kit' in details;

interface Row extends ObjectView {
  /** The line that mends it; null: nothing is to be mended, or nobody knows how. */
  readonly fix: string | null;
}

/** The reason of a server is asked for when it is another one than before. */
function serversReader(): () => Promise<readonly Row[]> {
  let before: readonly Row[] = [];
  const fixOf = async ({ key, state, reason, message }: ObjectView): Promise<string | null> => {
    if (calm.has(state)) return null;
    const known = before.find((row) => row.key === key);
    return known?.state === state && known.reason === reason && known.message === message ? known.fix : (await readWhy(key)).fix;
  };
  return async () => {
    const servers = await readObjects('Server');
    before = await Promise.all(servers.map(async (server) => Object.assign({}, server, { fix: await fixOf(server) })));
    return before;
  };
}

export class SvcAdminServers extends LitElement {
  static override properties = { examined: { state: true }, busy: { state: true }, trouble: { state: true } };
  /** The checks that were asked for last, by server. */
  declare examined: ReadonlyMap<string, readonly Check[]>;
  /** The server that is being examined. */
  declare busy: string | null;
  declare trouble: string | null;
  #watch = new Watch(this, () => [language]);
  #servers = new Polled(this, refreshMs, serversReader());

  constructor() {
    super();
    this.examined = new Map();
    this.busy = null;
    this.trouble = null;
  }

  static override styles = [base, adminPanelStyles];

  override firstUpdated(): void {
    void this.#watch;
  }

  async #examine(server: string): Promise<void> {
    if (this.busy !== null) return;
    this.busy = server;
    this.trouble = null;
    try {
      const checks = await readServerChecks(server, language.get());
      this.examined = new Map([...this.examined, [server, checks]]);
    } catch (error) {
      this.trouble = sayError(error);
    }
    this.busy = null;
  }

  override render(): TemplateResult {
    const { value, problem } = this.#servers;
    const trouble = this.trouble ?? (problem === null ? null : sayError(problem));
    return html`
      ${trouble === null ? nothing : html`<p class="note" role="alert">${glyph('warning')}<span>${trouble}</span></p>`}
      ${value === null ? html`<p class="quiet" role="status">${problem === null ? text('admin.asking') : ''}</p>` : nothing}
      ${value?.length === 0 ? html`<p class="quiet">${text('admin.noServers')}</p>` : nothing}
      <ul aria-label=${text('admin.servers')}>
        ${repeat(
          value ?? [],
          ({ key }) => key,
          (server) => this.#row(server),
        )}
      </ul>
    `;
  }

  #row({ key, name, state, reason, message, seenAtMs, fix, details }: Row): TemplateResult {
    const checks = this.examined.get(name);
    return html`<li data-server=${name}>
      <span class="main"
        ><strong>${name}</strong> <span class=${calm.has(state) ? 'quiet' : 'bad'}>${reasonText(reason, language.get())}</span>
        <p>${text('admin.seen', { quando: relativeTime(seenAtMs, Date.now()) })}</p></span
      >
      ${
        hasChecks(details)
          ? html`<span class="acts">
              <ui-button
                label=${text('admin.examineOne', { nome: name })}
                ?busy=${this.busy === name}
                @click=${() => void this.#examine(name)}
              >
                ${text('admin.examine')}
              </ui-button>
            </span>`
          : nothing
      }
      ${fix === null ? nothing : html`<span class="wide quiet">${text('admin.mend')} <code>${fix}</code></span>`}
      ${
        calm.has(state) || message === ''
          ? nothing
          : html`<details class="wide quiet">
              <summary>${text('store.technical')}</summary>
              <p lang="en">${message}</p>
            </details>`
      }
      ${checks === undefined ? nothing : html`<div class="wide" data-key=${key}>${checkRows(text('admin.checksOf', { nome: name }), checks)}</div>`}
    </li>`;
  }
}

customElements.define('svc-admin-servers', SvcAdminServers);
