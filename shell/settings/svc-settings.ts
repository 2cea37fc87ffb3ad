/** Settings: what the person can choose, section by section. Every choice is kept by the portal (decision 0202) and told to all open pages. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { language, text } from '../i18n/i18n.ts';
import type { Desk } from '../desktop/desk.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { frameStyles, noteStyles } from '../ui/piece-styles.ts';
import { theme } from '../ui/theme.ts';
import { folded } from '../ui/type-ahead.ts';
import type { SettingsContext } from './context.ts';
import { ownSections, type OwnSection, type SectionId } from './model.ts';
import { sections } from './sections.ts';
import { settingsStyles } from './settings-styles.ts';

/** Every word that was typed is in what a section says. */
const matches = (query: string, words: readonly string[]): boolean =>
  folded(query)
    .split(/\s+/)
    .every((word) => folded(words.join(' ')).includes(word));

export class SvcSettings extends LitElement {
  static override properties = {
    desk: { attribute: false },
    query: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  declare desk: Desk;
  declare query: string;
  declare busy: boolean;
  declare problem: string | null;
  #watch = new Watch(this, () => {
    const { settings, apps, preferences } = this.desk;
    return [settings.state, settings.section, apps.state, preferences.state, language, theme];
  });
  #end: () => void = () => {};

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
    const id = desk.settings.section.get() as OwnSection;
    const problem = this.problem ?? desk.settings.state.get().problem;
    const section = sections[id];
    return html`<div class="layout">
      ${this.#navigation(id)}
      <div class="content" role="region" aria-labelledby="title" tabindex="0" data-section=${id}>
        <h3 id="title">${text(section.title)}</h3>
        ${problem === null ? nothing : html`<p class="problem" role="alert">${glyph('warning')}<span>${problem}</span></p>`}
        ${section.draw(this.#context)}
      </div>
    </div>`;
  }

  #navigation(chosen: SectionId): TemplateResult {
    const found = ownSections.filter((id) => matches(this.query, [text(sections[id].title), text(sections[id].words)]));
    const listed = found.includes(chosen as OwnSection) ? found : [chosen as OwnSection, ...found];
    return html`<nav aria-label=${text('settings.sections')}>
      <input
        class="field"
        type="search"
        aria-label=${text('settings.search')}
        placeholder=${text('settings.search')}
        .value=${this.query}
        @input=${(event: Event) => (this.query = (event.currentTarget as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter' && found[0] !== undefined) this.#go(found[0]);
        }}
      />
      <select
        class="field"
        aria-label=${text('settings.section')}
        @change=${(event: Event) => this.#go((event.currentTarget as HTMLSelectElement).value as SectionId)}
      >
        ${listed.map((id) => html`<option value=${id} .selected=${id === chosen}>${text(sections[id].title)}</option>`)}
      </select>
      ${found.map(
        (id) =>
          html`<button type="button" aria-current=${id === chosen ? 'page' : nothing} @click=${() => this.#go(id)}>
            ${glyph(sections[id].glyph)}<span>${text(sections[id].title)}</span>
          </button>`,
      )}
      ${found.length === 0 ? html`<p class="quiet">${text('launcher.none', { texto: this.query })}</p>` : nothing}
      <p class="sr-only" role="status">${this.query === '' ? '' : text('launcher.results', { n: found.length })}</p>
    </nav>`;
  }
}

customElements.define('svc-settings', SvcSettings);
