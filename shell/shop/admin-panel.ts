/** For administrators: per server what is missing and the line that installs it, packages with drift and the way back, engines, who runs what. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import { readKey } from '../../schema/keys.ts';
import { reasonText } from '../../schema/texts/reasons.ts';
import type { AdminPackagesAnswer } from '../../schema/wire/shop.ts';
import { attempt } from '../windows/attempt.ts';
import type { ShopDesk } from './context.ts';
import { language, relativeTime, text, type TextKey } from '../i18n/i18n.ts';
import { readAdminPackages, rollBackPackage, undoRollBack } from '../session/api.ts';
import { sayError } from '../session/say-error.ts';
import { Polled } from '../state/polled.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { adminStyles } from './admin-styles.ts';
import { copyWords } from './copy.ts';
import { installSteps, saySize } from './words.ts';

type AdminServer = AdminPackagesAnswer['servers'][number];
type AdminPackage = AdminServer['packages'][number];

const refreshMs = 5_000;
const copiedMs = 2_000;

/** A word of a closed list in the person's language; a newer one as it is. */
const word = (list: 'admin.package' | 'admin.engine' | 'state', name: string): string => {
  const said = text(`${list}.${name}` as TextKey);
  return said === undefined ? name : said;
};

/** Message of the portal for engineers, in English. */
const technical = (message: string): TemplateResult =>
  html`<details class="technical">
    <summary>${text('store.technical')}</summary>
    <p lang="en">${message}</p>
  </details>`;

export class SvcShopAdmin extends LitElement {
  static override properties = {
    desk: { attribute: false },
    problem: { state: true },
    busy: { state: true },
    mark: { state: true },
  };
  declare desk: ShopDesk;
  /** Why an act failed; null: the last one did not. */
  declare problem: string | null;
  declare busy: ReadonlySet<string>;
  declare mark: string | null;
  // A change of the shop or the apps may have changed this, too.
  #watch = new Watch(this, () => [language]);
  #packages = new Polled(this, refreshMs, readAdminPackages);
  #end = (): void => {};

  constructor() {
    super();
    this.problem = null;
    this.busy = new Set();
    this.mark = null;
  }

  static override styles = [base, adminStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#end = this.desk.shop.state.subscribe(() => void this.#packages.ask());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
  }

  async #do(key: string, request: (key: string) => Promise<void>): Promise<void> {
    this.busy = new Set([...this.busy, key]);
    this.problem = null;
    try {
      await request(key);
      await this.#packages.ask();
    } catch (error) {
      this.problem = text('store.refused', { erro: sayError(error) });
    }
    this.busy = new Set([...this.busy].filter((name) => name !== key));
  }

  async #copy(mark: string, words: string): Promise<void> {
    await copyWords(words);
    this.mark = mark;
    setTimeout(() => (this.mark = null), copiedMs);
  }

  override render(): TemplateResult {
    const { value, problem } = this.#packages;
    const trouble = this.problem ?? (problem === null ? null : text('store.loadError', { erro: sayError(problem) }));
    return html`
      <p class="quiet">${text('admin.hint')}</p>
      ${trouble === null ? nothing : html`<p class="note" role="alert">${glyph('warning')}<span>${trouble}</span></p>`}
      ${value?.servers.map((server) => this.#server(server)) ?? nothing}
    `;
  }

  #server(server: AdminServer): TemplateResult {
    const fine = server.sight === 'reachable';
    return html`<section class="server" aria-label=${text('admin.server', { nome: server.name })} data-server=${server.name}>
      <h3>
        ${server.name}<span class="chip ${fine ? 'calm' : 'bad'}"
          >${fine ? text('admin.reachable') : reasonText(server.reason, language.get())}</span
        >
      </h3>
      ${fine ? nothing : technical(server.sight)}
      ${part(
        'admin.missing',
        'missing',
        'admin.missingNone',
        server.missing.map((one) => this.#missing(server.name, one)),
      )}
      ${part(
        'admin.packages',
        'packages',
        'admin.packagesNone',
        server.packages.map((one) => this.#package(one)),
      )}
      ${part('admin.engines', 'engines', 'admin.enginesNone', server.engines.map(engine))}
      ${part('admin.running', 'running', 'admin.runningNone', server.running.map(runs))}
    </section>`;
  }

  #missing(server: string, { package: name, apps, line }: AdminServer['missing'][number]): TemplateResult {
    const mark = `${server} ${name}`;
    const done = this.mark === mark;
    const label = text('admin.copyLine', { pacote: name });
    return html`<li>
      <span class="main"><strong>${name}</strong> <span class="quiet">${text('admin.neededBy', { apps: apps.join(', ') })}</span></span>
      <code class="line">${line}</code>
      <ui-button
        icon
        variant="quiet"
        label=${done ? text('store.copied') : label}
        title=${label}
        @click=${() => attempt(this.desk, () => this.#copy(mark, line))}
      >
        ${glyph(done ? 'check' : 'copy')}
      </ui-button>
    </li>`;
  }

  #package(one: AdminPackage): TemplateResult {
    const { key, app, state, reason, message, progress, installed, wanted, previous } = one;
    const whose = one.person === null ? text('admin.forAll') : text('admin.forPerson', { pessoa: one.person });
    const version =
      installed === null || installed === wanted || wanted === null
        ? (installed ?? wanted ?? '')
        : `${installed} · ${text('admin.wanted', { versao: wanted })}`;
    const at = progress === null ? -1 : (installSteps as readonly string[]).indexOf(progress.step);
    const bad = state === 'failed' || state === 'missing' || state === 'unknown';
    // Back it went, and the document still wants the version that was left.
    const held = installed !== null && wanted !== null && installed !== wanted && reason === 'RolledBack';
    return html`<li data-package=${key}>
      <span class="main"
        ><strong>${app}</strong> <span>${version}</span> <span class="quiet">${whose}</span>
        <span class="quiet key">${readKey(key).name}</span></span
      >
      <span class="state">
        <span class="chip ${bad ? 'bad' : state === 'installed' ? 'calm' : 'news'}" title=${reasonText(reason, language.get())}
          >${held ? reasonText(reason, language.get()) : word('admin.package', state)}${at === -1 ? '' : ` · ${text('store.stepOf', { n: at + 1, total: installSteps.length })}`}</span
        >
        ${one.drift && state !== 'drifted' ? html`<span class="chip news">${text('admin.drift')}</span>` : nothing}
        ${one.paused ? html`<span class="chip">${text('admin.paused')}</span>` : nothing}
      </span>
      ${
        held
          ? this.#button(key, 'undo', text('admin.undo'), text('admin.undoApp', { nome: app }), undoRollBack)
          : previous === null
            ? nothing
            : this.#button(
                key,
                'roll-back',
                text('admin.rollBack', { versao: previous }),
                text('admin.rollBackApp', { nome: app, versao: previous }),
                rollBackPackage,
              )
      }
      ${bad ? html`<span class="why"><strong>${reasonText(reason, language.get())}</strong> ${technical(message)}</span>` : nothing}
    </li>`;
  }

  #button(key: string, action: string, words: string, label: string, request: (key: string) => Promise<void>): TemplateResult {
    const waits = this.busy.has(key);
    return html`<ui-button data-action=${action} label=${label} ?busy=${waits} @click=${() => !waits && void this.#do(key, request)}>
      ${glyph('undo')}${words}
    </ui-button>`;
  }
}

function part(title: TextKey, name: string, none: TextKey, lines: readonly TemplateResult[]): TemplateResult {
  return html`<h4>${text(title)}</h4>
    ${
      lines.length === 0
        ? html`<p class="quiet">${text(none)}</p>`
        : html`<ul class="lines" data-part=${name}>
            ${lines}
          </ul>`
    }`;
}

function engine({ app, nome, versao, state, bytes }: AdminServer['engines'][number]): TemplateResult {
  const kinds: Readonly<Record<string, string>> = { present: 'calm', missing: 'bad' };
  return html`<li>
    <span class="main"
      ><strong>${nome}</strong> <span>${versao}</span> <span class="quiet">${text('admin.neededBy', { apps: app })}</span></span
    >
    ${bytes === null ? nothing : html`<span class="quiet">${saySize(bytes)}</span>`}
    <span class="chip ${kinds[state] ?? ''}">${word('admin.engine', state)}</span>
  </li>`;
}

function runs({ person, app, version, state, sinceMs, stale }: AdminServer['running'][number]): TemplateResult {
  return html`<li>
    <span class="main"><strong>${person}</strong> <span>${app}</span> <span class="quiet">${version ?? ''}</span></span>
    <span class="quiet">${word('state', state)}, ${relativeTime(sinceMs, Date.now())}</span>
    ${stale ? html`<span class="chip news" title=${text('tasks.staleHint')}>${text('tasks.stale')}</span>` : nothing}
  </li>`;
}

customElements.define('svc-shop-admin', SvcShopAdmin);
