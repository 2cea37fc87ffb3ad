/**
 * The launcher and list of commands: a search field that keeps the focus, and under it the tiles (a listbox that the field controls).
 * Source: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ (list autocomplete with the focus in the field).
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/empty.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { LauncherDesk } from './launcher-desk.ts';
import { isMenuKey, type MenuPlace } from '../ui/menu.ts';
import { categoryText, language, text } from '../i18n/i18n.ts';
import { pinnedAmong } from '../preferences/pins.ts';
import { Watch } from '../state/signal.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { leadOn } from '../ui/lead-on.ts';
import { appEntries, commandEntries, openAppMenu, type AppEntry, type CommandEntry } from './entries.ts';
import { nextTile } from './grid-keys.ts';
import { search, sections } from '../ui/search.ts';
import { part } from '../session/part.ts';
import type { Finder, Found, FoundEntry } from './found.ts';
import { launcherStyles } from './launcher-styles.ts';
import { tileStyles } from '../ui/tile-styles.ts';

type Row = CommandEntry | FoundEntry;
type Group = { readonly title: string; readonly apps: readonly AppEntry[]; readonly rows: readonly Row[] };

const nothingFound: Found = { groups: [], isOver: true, problem: null };

export class SvcLauncher extends LitElement {
  static override properties = { desk: { attribute: false }, query: { state: true }, active: { state: true }, found: { state: true } };
  declare desk: LauncherDesk;
  declare query: string;
  declare active: number;
  /** Hits beside apps and commands. */
  declare found: Found;
  #finder: Promise<Finder> | null = null;
  #watch = new Watch(this, () => [
    this.desk.apps.state,
    this.desk.shop.state,
    this.desk.windows.windows,
    this.desk.preferences.state,
    language,
  ]);

  constructor() {
    super();
    this.query = '';
    this.active = 0;
    this.found = nothingFound;
  }

  static override styles = [base, tileStyles, launcherStyles];

  override firstUpdated(): void {
    void this.#watch;
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    void this.#finder?.then((finder) => finder.end());
  }

  #typed(query: string): void {
    this.query = query;
    this.active = 0;
    this.found = query.trim() === '' ? nothingFound : { ...nothingFound, isOver: false };
    this.#finder ??= part('found', () => import('./found.ts')).then(({ createFinder }) =>
      createFinder(this.desk, (found) => (this.found = found)),
    );
    this.#finder.then(
      (finder) => this.query === query && this.isConnected && finder.find(query),
      // The next letter asks for it again.
      () => {
        this.#finder = null;
        this.found = nothingFound;
      },
    );
  }

  #groups(): readonly Group[] {
    const apps = appEntries(this.desk);
    if (this.query.trim() === '') {
      const pins = pinnedAmong(
        this.desk.preferences.state.get(),
        apps.map((entry) => ({ ...entry, id: entry.key })),
      );
      return [
        ...(pins.length === 0 ? [] : [{ title: text('pin.title'), apps: pins, rows: [] }]),
        ...sections(apps, categoryText).map(({ category, entries }) => ({ title: categoryText(category), apps: entries, rows: [] })),
      ];
    }
    const found = search(apps, this.query);
    const commands = search(commandEntries(this.desk), this.query);
    return [
      { title: text('launcher.title'), apps: found, rows: [] },
      { title: text('launcher.commands'), apps: [], rows: commands },
      ...this.found.groups.map(({ title, entries }) => ({ title, apps: [], rows: entries })),
    ].filter((group) => group.apps.length + group.rows.length > 0);
  }

  #close(): void {
    this.desk.launcherOpen.set(false);
  }

  /** The focus goes where the entry leads, or to the window in front; only a launcher that was closed gives it back. */
  #run(entry: AppEntry | Row): void {
    leadOn(this);
    this.#close();
    entry.run();
  }

  #key(event: KeyboardEvent, entries: readonly (AppEntry | Row)[]): void {
    const chosen = entries[this.active];
    const sideways = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
    if (event.key === 'Enter' && chosen !== undefined) this.#run(chosen);
    else if (isMenuKey(event)) this.#menuOf(chosen);
    else if (event.key.startsWith('Arrow') && !(sideways && this.query !== '')) {
      const boxes = [...this.renderRoot.querySelectorAll('[role=option]')].map((tile) => tile.getBoundingClientRect());
      this.active = nextTile(boxes, this.active, event.key) ?? this.active;
      void this.updateComplete.then(() => this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }));
    } else return;
    event.preventDefault();
  }

  /** Opens the menu of the chosen tile, which does not have the focus itself. */
  #menuOf(chosen: AppEntry | Row | undefined): void {
    const box = this.renderRoot.querySelector('[aria-selected=true]')?.getBoundingClientRect();
    if (chosen === undefined || box === undefined || !('app' in chosen) || chosen.app === null) return;
    this.#openMenu(chosen.app, { x: box.left + box.width / 2, y: box.top + box.height / 2 });
  }

  /** When the launcher is gone and gave the focus back: until then nothing beside it can have the focus. */
  #openMenu(app: AppProjection, place: MenuPlace): void {
    const { desk } = this;
    this.#close();
    setTimeout(() => openAppMenu(desk, app, place));
  }

  override render(): TemplateResult {
    const groups = this.#groups();
    const entries = groups.flatMap((group) => [...group.apps, ...group.rows]);
    const active = Math.min(this.active, Math.max(entries.length - 1, 0));
    return html`<ui-dialog open hide-label light-dismiss label=${text('launcher.title')} @close=${() => this.#close()}>
      <div class="panel">
        <div class="search">
          ${glyph('search')}
          <input
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls="results"
            aria-autocomplete="list"
            aria-activedescendant=${entries.length === 0 ? nothing : `entry-${active}`}
            aria-label=${text('launcher.search')}
            placeholder=${text('launcher.placeholder')}
            autocomplete="off"
            spellcheck="false"
            enterkeyhint="go"
            @input=${(event: InputEvent) => this.#typed((event.target as HTMLInputElement).value)}
            @keydown=${(event: KeyboardEvent) => this.#key(event, entries)}
          />
          <ui-button icon variant="quiet" label=${text('dialog.close')} @click=${() => this.#close()}> ${glyph('close')} </ui-button>
        </div>
        ${
          entries.length === 0
            ? html`<ui-empty>${this.found.isOver ? text('launcher.none', { texto: this.query }) : text('launcher.searching')}</ui-empty>`
            : html`<div class="results" id="results" role="listbox" tabindex="-1" aria-label=${text('launcher.title')}>
                ${groups.map((group) => this.#group(group, entries, active))}
              </div>`
        }
        ${this.found.problem === null ? nothing : html`<p class="problem" role="status">${text('launcher.unsearched', { porque: this.found.problem })}</p>`}
        <p class="foot" aria-hidden="true">${text('launcher.hint')}</p>
        <p class="sr-only" role="status">
          ${this.query === '' || !this.found.isOver ? '' : text('launcher.results', { n: entries.length })}
        </p>
      </div>
    </ui-dialog>`;
  }

  #group(group: Group, entries: readonly (AppEntry | Row)[], active: number): TemplateResult {
    return html`<div role="group" aria-label=${group.title}>
      <h3 aria-hidden="true">${group.title}</h3>
      ${group.apps.length === 0 ? nothing : html`<div class="tiles" role="presentation">${group.apps.map((entry) => this.#tile(entry, entries.indexOf(entry), active))}</div>`}
      ${group.rows.map((entry) => this.#row(entry, entries.indexOf(entry), active))}
    </div>`;
  }

  #tile(entry: AppEntry, index: number, active: number): TemplateResult {
    const { app } = entry;
    const state = app === null ? '' : text(`state.${app.status}`);
    return html`<div
      class="tile"
      id="entry-${index}"
      role="option"
      aria-selected=${index === active}
      title=${entry.description === '' ? nothing : entry.description}
      @click=${() => this.#run(entry)}
      @pointermove=${() => (this.active = index)}
      @contextmenu=${(event: MouseEvent) => {
        event.preventDefault();
        if (app !== null) this.#openMenu(app, { x: event.clientX, y: event.clientY });
      }}
    >
      <span class="picture">
        <svc-app-icon .app=${app ?? undefined} .builtin=${entry.builtin} .size=${44}></svc-app-icon>
        ${app === null ? nothing : html`<span class="dot ${app.status}"></span>`}
        ${entry.badge === 0 ? nothing : html`<span class="badge" aria-hidden="true">${entry.badge}</span>`}
      </span>
      <span class="name">${entry.name}</span>
      ${entry.badge === 0 ? nothing : html`<span class="sr-only">${text('store.updates', { n: entry.badge })}</span>`}
      ${state === '' ? nothing : html`<span class="sr-only">${state}</span>`}
    </div>`;
  }

  #row(entry: Row, index: number, active: number): TemplateResult {
    return html`<div
      class="command"
      id="entry-${index}"
      role="option"
      aria-selected=${index === active}
      @click=${() => this.#run(entry)}
      @pointermove=${() => (this.active = index)}
    >
      ${glyph(entry.glyph)}<span class="what">${entry.name}</span
      >${'where' in entry && entry.where !== '' ? html`<span class="where">${entry.where}</span>` : nothing}
    </div>`;
  }
}

customElements.define('svc-launcher', SvcLauncher);
