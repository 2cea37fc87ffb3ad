/**
 * Settings: the choices of the person, section by section. The portal keeps every choice (docs/decisions/0202-preferences.md) and reports
 * it to all open pages.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import '../../sdk/web/ui/field.ts';
import '../../sdk/web/ui/select.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';
import { language, text } from '../i18n/i18n.ts';
import type { SettingsDesk } from './context.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import { frameStyles, noteStyles } from '../ui/piece-styles.ts';
import { permissionsApp } from '../preferences/window-permissions.ts';
import { theme } from '../ui/theme.ts';
import { folded } from '../../sdk/web/ui/type-ahead.ts';
import type { SettingsContext } from './context.ts';
import { appSections } from '../scripts/sections.ts';
import { isSectionShown, ownSections, type SectionId } from './model.ts';
import { sections } from './sections.ts';
import './svc-app-section.ts';
import { settingsStyles } from './settings-styles.ts';

/** Every word that was typed is in what a section says. */
const matches = (query: string, words: readonly string[]): boolean =>
  folded(query)
    .split(/\s+/)
    .every((word) => folded(words.join(' ')).includes(word));

const titleCharsMax = 60;

interface Shown {
  readonly id: SectionId;
  readonly title: string;
  readonly words: string;
  readonly glyph: Glyph;
  readonly draw: (context: SettingsContext) => TemplateResult;
}

const appSection = (app: AppSettings): TemplateResult =>
  app.secao?.permitida === true
    ? html`${keyed(app.id, html`<svc-app-section .app=${app}></svc-app-section>`)}`
    : html`<p class="note">${text('settings.sectionRefused', { nome: app.nome })}</p>`;

export class SvcSettings extends LitElement {
  static override properties = {
    desk: { attribute: false },
    query: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  declare desk: SettingsDesk;
  declare query: string;
  declare busy: boolean;
  declare problem: string | null;
  #watch = new Watch(this, () => {
    const { settings, apps, preferences, engines } = this.desk;
    return [
      settings.state,
      settings.section,
      apps.state,
      engines.problems,
      preferences.state,
      permissionsApp,
      this.desk.windows.windows,
      language,
      theme,
    ];
  });
  #end: () => void = () => {};
  /** By address: what the sections of apps are called. */
  #titles = new Map<string, string | null>();

  constructor() {
    super();
    this.query = '';
    this.busy = false;
    this.problem = null;
  }

  static override styles = [base, frameStyles, noteStyles, settingsStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#end = this.desk.settings.watch();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
  }

  /** Scripts of apps run when Settings opens, not before. Source: rules 2.1 `contributes.settings`. */
  override willUpdate(): void {
    for (const app of this.#ofApps) {
      const address = app.secao?.endereco ?? '';
      if (app.secao?.permitida !== true || this.#titles.has(address)) continue;
      this.#titles.set(address, null);
      void this.#readTitle(app, address);
    }
  }

  async #readTitle(app: AppSettings, address: string): Promise<void> {
    try {
      const { titulo } = await appSections.load(app.id, address);
      this.#titles.set(address, typeof titulo === 'string' && titulo.trim() !== '' ? titulo.slice(0, titleCharsMax) : null);
      this.requestUpdate();
    } catch {
      // The section itself says so when it is opened.
    }
  }

  get #ofApps(): readonly AppSettings[] {
    const on = this.desk.preferences.state.get()?.secoesDeApps ?? [];
    return (this.desk.settings.state.get().answer?.apps ?? []).filter((app) => isSectionShown(app, on));
  }

  get #context(): SettingsContext {
    const { desk, busy } = this;
    return {
      desk,
      busy,
      chosen: desk.preferences.state.get() ?? {},
      state: desk.settings.state.get(),
      change: (patch) => void this.#act(() => desk.preferences.change(patch), text('settings.saved')),
      act: (work, done) => void this.#act(work, done),
    };
  }

  async #act(work: () => Promise<unknown>, done: string): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      await work();
      this.desk.announcement.set(done);
    } catch (error) {
      this.problem = text('tasks.error', { erro: sayError(error) });
    }
    this.busy = false;
    // Where the list says the same again, the element that was drawn from a choice that was refused goes back.
    this.requestUpdate();
  }

  #go(section: SectionId): void {
    this.problem = null;
    this.desk.settings.section.set(section);
    this.renderRoot.querySelector('.content')?.scrollTo(0, 0);
  }

  override render(): TemplateResult {
    const { desk } = this;
    const shown = this.#sections;
    const wanted = desk.settings.section.get();
    // The section of an app that is gone, or was turned off, leads to the first.
    const { id, title, draw } = shown.find((section) => section.id === wanted) ?? shown[0]!;
    const problem = this.problem ?? desk.settings.state.get().problem;
    return html`<div class="layout">
      ${this.#navigation(shown, id)}
      <div class="content" role="region" aria-labelledby="title" tabindex="0" data-section=${id}>
        <h3 id="title">${title}</h3>
        ${problem === null ? nothing : html`<p class="problem" role="alert">${glyph('warning')}<span>${problem}</span></p>`}
        ${draw(this.#context)}
      </div>
    </div>`;
  }

  get #sections(): readonly Shown[] {
    const own = ownSections.filter((id) => id !== 'passkeys' || this.desk.settings.state.get().answer?.passkeys === true);
    return [
      ...own.map((id): Shown => {
        const { title, words, glyph, draw } = sections[id];
        return { id, title: text(title), words: text(words), glyph, draw };
      }),
      ...this.#ofApps.map((app): Shown => {
        const title = this.#titles.get(app.secao?.endereco ?? '') ?? app.nome;
        return { id: `app:${app.id}`, title, words: `${app.nome} ${app.id}`, glyph: 'app', draw: () => appSection(app) };
      }),
    ];
  }

  #navigation(shown: readonly Shown[], chosen: SectionId): TemplateResult {
    const found = shown.filter(({ title, words }) => matches(this.query, [title, words]));
    const listed = shown.filter((section) => section.id === chosen || found.includes(section));
    return html`<nav aria-label=${text('settings.sections')}>
      <ui-field
        type="search"
        label=${text('settings.search')}
        hide-label
        placeholder=${text('settings.search')}
        autocomplete="off"
        spellcheck="false"
        .value=${this.query}
        @input=${(event: Event) => (this.query = (event.currentTarget as SvcUiField).value)}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter' && found[0] !== undefined) this.#go(found[0].id);
        }}
      ></ui-field>
      <ui-select
        label=${text('settings.section')}
        hide-label
        .value=${chosen}
        @change=${(event: Event) => this.#go((event.currentTarget as SvcUiSelect).value as SectionId)}
      >
        ${listed.map(({ id, title }) => html`<option value=${id}>${title}</option>`)}
      </ui-select>
      ${found.map(
        ({ id, title, glyph: sign }, at) =>
          html`${id.startsWith('app:') && found[at - 1]?.id.startsWith('app:') !== true ? html`<h3>${text('settings.ofApps')}</h3>` : nothing}
            <button type="button" aria-current=${id === chosen ? 'page' : nothing} @click=${() => this.#go(id)}>
              ${glyph(sign)}<span>${title}</span>
            </button>`,
      )}
      ${found.length === 0 ? html`<p class="quiet">${text('launcher.none', { texto: this.query })}</p>` : nothing}
      <p class="sr-only" role="status">${this.query === '' ? '' : text('launcher.results', { n: found.length })}</p>
    </nav>`;
  }
}

customElements.define('svc-settings', SvcSettings);
