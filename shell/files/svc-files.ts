/** A window of the file manager: one folder of the person, the trash, or what a search found. Loaded with the first such window. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { letterOf } from '../../schema/bridge/key-letter.ts';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/field.ts';
import type { FileItem, PlacesAnswer, SpaceAnswer } from '../../schema/wire/files.ts';
import { attempt } from '../windows/attempt.ts';
import type { FilesDesk } from './desk-acts.ts';
import { language, text } from '../i18n/i18n.ts';
import { parentOf, trashPlace } from '../opening/file-path.ts';
import { wholePath } from '../session/content-api.ts';
import { readPlaces, readSpace } from '../session/files-api.ts';
import { sayError } from '../session/say-error.ts';
import { createRetry } from '../state/retry.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { isFocusFree } from '../windows/free-focus.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import { openMenu } from '../ui/menu.ts';
import { actsOf } from './desk-acts.ts';
import { allowDrop, takeDrop } from './file-drags.ts';
import { columnHeads, crumbTrail, pathField, statusBar } from './file-strips.ts';
import { filesStyles } from './files-styles.ts';
import type { Listing } from './listing.ts';
import { placeName } from './place-name.ts';
import { placesMenu } from './places.ts';
import { folderListing, search, trashListing, type Found } from './place.ts';
import './svc-file-places.ts';
import './svc-file-tasks.ts';
import './svc-folder.ts';
import type { SvcFolder } from './svc-folder.ts';
import { loadView, saveView, type View } from './view-memory.ts';
import { keptHere } from '../state/kept.ts';

export class SvcFiles extends LitElement {
  static override properties = {
    desk: { attribute: false },
    window: { attribute: false },
    path: { attribute: false },
    at: { state: true },
    places: { state: true },
    space: { state: true },
    chosen: { state: true },
    view: { state: true },
    found: { state: true },
    typing: { state: true },
    problem: { state: true },
  };
  declare desk: FilesDesk;
  /** Id of the window that shows it. */
  declare window: string;
  /** The route: '' and `~` are the home. */
  declare path: string;
  /** Where it is; '' until the home is known. */
  declare at: string;
  declare places: PlacesAnswer | null;
  declare space: SpaceAnswer | null;
  declare chosen: readonly FileItem[];
  declare view: View;
  /** Null: nothing is searched for. */
  declare found: Found | null;
  /** The path is typed in place of the crumbs. */
  declare typing: boolean;
  declare problem: string | null;
  #listing: Listing | null = null;
  #ends: (() => void)[] = [];
  #search: AbortController | null = null;
  /** Retries the reading of the places, without which there is no folder to show. */
  readonly #retry = createRetry(() => void this.#begin());
  #before: string[] = [];
  #after: string[] = [];
  #isReady = false;

  constructor() {
    super();
    this.at = '';
    this.places = null;
    this.space = null;
    this.chosen = [];
    this.view = loadView(keptHere);
    this.found = null;
    this.typing = false;
    this.problem = null;
  }

  static override styles = [base, filesStyles];

  /** The element may have been in the document before this part was loaded: what it was given comes with its first update. */
  override firstUpdated(): void {
    const { desk } = this;
    void new Watch(this, () => [language, desk.preferences.state]);
    void this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#retry.succeeded();
    this.#leave();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('path') && changed.get('path') !== undefined && this.path !== this.at) void this.#begin();
  }

  async #begin(): Promise<void> {
    try {
      this.places ??= await readPlaces();
      this.#retry.succeeded();
      this.desk.homePath.set(this.places.casa);
      const path = this.path === '' ? this.places.casa : this.path === trashPlace ? trashPlace : await wholePath(this.path);
      this.#open(path);
    } catch (error) {
      this.problem = sayError(error);
      if (this.isConnected) this.#retry.failed(error);
    }
  }

  #leave(): void {
    this.#search?.abort();
    this.#listing?.close();
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  get #isTrash(): boolean {
    return this.at === trashPlace;
  }
  get #shown(): Listing | null {
    return this.found?.listing ?? this.#listing;
  }
  get #folder(): SvcFolder | null {
    return this.renderRoot.querySelector<SvcFolder>('svc-folder');
  }

  /** Lists it, and everything that belongs to the place before is over. */
  #open(path: string): void {
    this.#leave();
    this.problem = null;
    this.found = null;
    this.at = path;
    this.desk.windows.setRoute(this.window, path);
    const { trashChanged, tasks } = actsOf(this.desk);
    let running = 0;
    const listing = path === trashPlace ? trashListing(() => trashChanged.get()) : folderListing(path, this.view);
    this.#listing = listing;
    this.#ends = [
      listing.state.subscribe(() => this.#listed(listing)),
      tasks.state.subscribe(() => {
        const before = running;
        running = tasks.state.get().filter(({ state }) => state === 'running').length;
        if (running < before) this.#readSpace(path);
      }),
      ...(path === trashPlace ? [trashChanged.subscribe(() => listing.refresh())] : []),
    ];
    listing.ensure(0, 1);
    this.space = null;
    this.#readSpace(path);
  }

  #readSpace(path: string): void {
    if (path === trashPlace) return;
    readSpace(path).then(
      (space) => this.at === path && (this.space = space),
      () => undefined,
    );
  }

  #listed(listing: Listing): void {
    const { problem } = listing.state.get();
    this.problem = problem === null ? null : sayError(problem);
    this.requestUpdate();
  }

  #go(path: string): void {
    if (path === this.at) return this.focusContent();
    if (this.at !== '') this.#before.push(this.at);
    this.#after = [];
    this.#open(path);
    void this.updateComplete.then(() => this.focusContent());
  }
  #back(): void {
    const path = this.#before.pop();
    if (path === undefined) return;
    this.#after.push(this.at);
    this.#open(path);
  }
  #forward(): void {
    const path = this.#after.pop();
    if (path === undefined) return;
    this.#before.push(this.at);
    this.#open(path);
  }

  focusContent(): void {
    this.#folder?.focusContent();
  }

  #change(view: Partial<View>): void {
    this.view = { ...this.view, ...view };
    saveView(keptHere, this.view);
    if (this.#isTrash || this.at === '') return;
    if (view.vista === undefined) this.#open(this.at);
  }

  #seek(words: string): void {
    this.#search?.abort();
    if (words.trim() === '') {
      this.found = null;
      return;
    }
    const mine = new AbortController();
    this.#search = mine;
    search(this.at, words.trim(), this.view.ocultos, mine.signal, (found) => {
      if (!mine.signal.aborted) this.found = found;
    }).catch((error: unknown) => {
      if (!mine.signal.aborted) this.problem = sayError(error);
    });
  }

  /** Handles the keys that the entries do not take. */
  #key(event: KeyboardEvent): void {
    const [inside] = event.composedPath();
    if (inside instanceof HTMLInputElement) return;
    const letter = (event.ctrlKey || event.metaKey) && !event.shiftKey ? letterOf(event) : '';
    if (letter === 'h') this.#change({ ocultos: !this.view.ocultos });
    else if (letter === 'l') this.typing = true;
    else if (letter === 'f') this.renderRoot.querySelector<HTMLElement>('.search')?.focus();
    else if (event.altKey && event.key === 'ArrowLeft') this.#back();
    else if (event.altKey && event.key === 'ArrowRight') this.#forward();
    else if ((event.altKey && event.key === 'ArrowUp') || event.key === 'Backspace') this.#up();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #up(): void {
    const parent = parentOf(this.at);
    if (parent !== null) this.#go(parent);
  }

  override render(): TemplateResult {
    const listing = this.#shown;
    const name = placeName(this.at, this.places?.casa ?? null);
    return html`<div
      class="window"
      @keydown=${(event: KeyboardEvent) => this.#key(event)}
      @go=${({ detail }: CustomEvent<string>) => this.#go(detail)}
    >
      ${this.#toolbar(name)}
      <svc-file-places class="places" .desk=${this.desk} .places=${this.places} .path=${this.at}></svc-file-places>
      <section class="main">
        ${this.view.vista === 'lista' ? columnHeads(this.view, this.#isTrash, this.found === null, (order) => this.#change(order)) : nothing}
        ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`} ${this.#empty()}
        ${
          listing === null
            ? nothing
            : html`<svc-folder
                .desk=${this.desk}
                .listing=${listing}
                .place=${this.at}
                .searched=${this.found !== null}
                .mode=${this.view.vista}
                .hiddenShown=${this.view.ocultos}
                .label=${text('files.content', { nome: name })}
                @choose-files=${({ detail }: CustomEvent<readonly FileItem[]>) => (this.chosen = detail)}
                @toggle-hidden=${() => this.#change({ ocultos: !this.view.ocultos })}
              ></svc-folder>`
        }
      </section>
      <svc-file-tasks class="tasks" .tasks=${actsOf(this.desk).tasks}></svc-file-tasks>
      ${statusBar(listing?.state.get() ?? null, this.found, this.chosen, this.space)}
    </div>`;
  }

  #empty(): TemplateResult | typeof nothing {
    if (this.found !== null || this.problem !== null || this.#listing?.state.get().total !== 0) return nothing;
    if (this.#isTrash) return html`<ui-empty>${text('files.emptyTrash')}</ui-empty>`;
    return html`<ui-empty>
      <span>${text('files.empty')}</span>
      <ui-button slot="actions" @click=${() => this.#folder?.chooseUploads()}>${text('files.upload')}</ui-button>
    </ui-empty>`;
  }

  #button(sign: Glyph, label: string, run: (event: MouseEvent) => void, disabled = false): TemplateResult {
    return html`<ui-button icon variant="quiet" title=${label} label=${label} ?disabled=${disabled} @click=${run}>
      ${glyph(sign)}
    </ui-button>`;
  }

  #toolbar(name: string): TemplateResult {
    const icons = this.view.vista === 'icones';
    const below = (event: MouseEvent) => {
      const of = event.currentTarget as HTMLElement;
      const { left, bottom } = of.getBoundingClientRect();
      return { x: left, y: bottom + 4, of };
    };
    return html`<header>
      <span class="narrow"
        >${this.#button('folder', text('files.places'), (event) =>
          openMenu(
            text('files.places'),
            placesMenu(this.desk, this.places, (path) => this.#go(path)),
            below(event),
          ),
        )}</span
      >
      ${this.#button('back', text('files.back'), () => this.#back(), this.#before.length === 0)}
      <span class="spare">${this.#button('forward', text('files.forward'), () => this.#forward(), this.#after.length === 0)}</span>
      ${this.#crumbs()}
      <ui-field
        class="search"
        type="search"
        placeholder=${text('files.searchHere')}
        label=${text('files.search', { nome: name })}
        hide-label
        autocomplete="off"
        spellcheck="false"
        maxlength="255"
        ?hidden=${this.#isTrash}
        @input=${(event: Event) => this.#seek((event.target as SvcUiField).value)}
      ></ui-field>
      ${this.#button(icons ? 'queue' : 'apps', text(icons ? 'files.asList' : 'files.asIcons'), () => this.#change({ vista: icons ? 'lista' : 'icones' }))}
      ${this.#button('plus', text('files.more'), (event) => this.#folder?.openGroundMenu(below(event)), this.at === '')}
    </header>`;
  }

  #crumbs(): TemplateResult {
    if (this.typing)
      return pathField(this.at, (typed) => {
        this.typing = false;
        if (typed !== null) attempt(this.desk, async () => this.#go(await wholePath(typed.trim() === '' ? '~' : typed.trim())));
      });
    return crumbTrail(this.at, this.places?.casa ?? '/', {
      go: (path) => this.#go(path),
      type: () => (this.typing = true),
      over: allowDrop,
      drop: (event, path) => takeDrop(this.desk, actsOf(this.desk), event, path),
    });
  }

  /** The window had the keyboard before there was anything in it that takes it. */
  async #ready(folder: SvcFolder): Promise<void> {
    this.#isReady = true;
    await folder.drawn;
    if (isFocusFree(this)) folder.focusContent();
  }

  override updated(changed: PropertyValues<this>): void {
    if (!this.#isReady && this.#folder !== null) void this.#ready(this.#folder);
    if (!changed.has('typing') || !this.typing) return;
    const field = this.renderRoot.querySelector<HTMLElement & SvcUiField>('.path');
    field?.focus();
    field?.select();
  }
}

customElements.define('svc-files', SvcFiles);
