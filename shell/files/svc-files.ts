/** A window of the file manager: one folder of the person, the trash, or what a search found. Loaded with the first such window. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { FileItem, PlacesAnswer, SpaceAnswer } from '../../schema/wire/files.ts';
import { attempt } from '../desktop/attempt.ts';
import type { Desk } from '../desktop/desk.ts';
import { language, text } from '../i18n/i18n.ts';
import { nameOfPath, parentOf, trashPlace } from '../opening/file-path.ts';
import { wholePath } from '../session/content-api.ts';
import { readPlaces, readSpace } from '../session/files-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import { openMenu, isMenuKey, type MenuGroup } from '../ui/menu.ts';
import { actsOf } from './desk-acts.ts';
import { chosenFiles } from './dropped.ts';
import { entryWords, fileOf } from './entry-words.ts';
import { allowDrop, startFileDrag, takeDrop } from './file-drags.ts';
import { erase, folderGroundMenu, itemMenu, removeForGood, trashMenu, type MenuParts } from './file-menus.ts';
import { columnHeads, crumbTrail, pathField, statusBar } from './file-strips.ts';
import { filesStyles } from './files-styles.ts';
import type { Listing } from './listing.ts';
import { pinFolder, placesMenu } from './places.ts';
import { folderListing, search, trashListing, type Found } from './place.ts';
import { kept, nothingChosen, only, ranged, type Selection } from './selection.ts';
import './svc-file-places.ts';
import './svc-file-tasks.ts';
import './svc-file-view.ts';
import type { EntryWords, SvcFileView } from './svc-file-view.ts';
import { loadView, saveView, type View } from './view-memory.ts';
import { watchFolder } from './watching.ts';

type MenuDetail = { readonly item: FileItem | null; readonly place: { readonly x: number; readonly y: number } };
type DragDetail = { readonly event: DragEvent; readonly folder: string };

export class SvcFiles extends LitElement {
  static override properties = {
    desk: { attribute: false },
    window: { attribute: false },
    path: { attribute: false },
    at: { state: true },
    places: { state: true },
    space: { state: true },
    selection: { state: true },
    view: { state: true },
    found: { state: true },
    renaming: { state: true },
    typing: { state: true },
    problem: { state: true },
  };
  declare desk: Desk;
  /** Of it. */
  declare window: string;
  /** The route: '' and `~` are the home. */
  declare path: string;
  /** Where it is; '' until the home is known. */
  declare at: string;
  declare places: PlacesAnswer | null;
  declare space: SpaceAnswer | null;
  declare selection: Selection;
  declare view: View;
  /** Null: nothing is searched for. */
  declare found: Found | null;
  declare renaming: string;
  /** The path is typed in place of the crumbs. */
  declare typing: boolean;
  declare problem: string | null;
  #listing: Listing | null = null;
  #wordsOf: ((item: FileItem) => EntryWords) | null = null;
  #ends: (() => void)[] = [];
  #search: AbortController | null = null;
  #before: string[] = [];
  #after: string[] = [];
  /** What was just made is shown with its name to be edited. */
  #made: string | null = null;

  constructor() {
    super();
    this.at = '';
    this.places = null;
    this.space = null;
    this.selection = nothingChosen;
    this.view = loadView(localStorage);
    this.found = null;
    this.renaming = '';
    this.typing = false;
    this.problem = null;
  }

  static override styles = [base, filesStyles];

  /** The element may have been in the document before this part was loaded: what it was given comes with its first update. */
  override firstUpdated(): void {
    const { desk } = this;
    const { clipboard, undoable } = actsOf(desk);
    void new Watch(this, () => [language, desk.opening.openers, desk.preferences.state, clipboard, undoable]);
    void this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    this.#wordsOf ??= entryWords(this.desk);
    if (changed.has('path') && changed.get('path') !== undefined && this.path !== this.at) void this.#begin();
  }

  async #begin(): Promise<void> {
    try {
      this.places ??= await readPlaces();
      const path = this.path === '' ? this.places.casa : this.path === trashPlace ? trashPlace : await wholePath(this.path);
      this.#open(path);
    } catch (error) {
      this.problem = sayError(error);
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
  get #view(): SvcFileView | null {
    return this.renderRoot.querySelector<SvcFileView>('svc-file-view');
  }
  get #shown(): Listing | null {
    return this.found?.listing ?? this.#listing;
  }
  get #chosen(): readonly FileItem[] {
    return [...this.selection.chosen.values()];
  }

  /** Lists it, and everything that belongs to the place before is over. */
  #open(path: string): void {
    this.#leave();
    this.problem = null;
    this.found = null;
    this.renaming = '';
    this.selection = nothingChosen;
    this.at = path;
    this.desk.windows.setRoute(this.window, path);
    const { trashChanged } = actsOf(this.desk);
    const listing = path === trashPlace ? trashListing(() => trashChanged.get()) : folderListing(path, this.view);
    this.#listing = listing;
    this.#ends = [
      listing.state.subscribe(() => this.#listed(listing)),
      path === trashPlace ? trashChanged.subscribe(() => listing.refresh()) : watchFolder(path, () => listing.refresh()),
    ];
    listing.ensure(0, 1);
    this.space = null;
    if (path !== trashPlace)
      readSpace(path).then(
        (space) => this.at === path && (this.space = space),
        () => undefined,
      );
  }

  #listed(listing: Listing): void {
    const { total, problem } = listing.state.get();
    this.problem = problem === null ? null : sayError(problem);
    if (total === null) {
      this.selection = nothingChosen;
      return;
    }
    // What is read in full is known to be gone.
    const isGone = (path: string): boolean => listing.indexOf(path) === -1 && total <= 200;
    this.selection = kept(this.selection, total, isGone);
    if (this.#made !== null && listing.indexOf(this.#made) !== -1) {
      const index = listing.indexOf(this.#made);
      this.#rename(listing.at(index));
    }
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
    this.#view?.focusContent();
  }

  #change(view: Partial<View>): void {
    this.view = { ...this.view, ...view };
    saveView(localStorage, this.view);
    if (this.#isTrash || this.at === '') return;
    if (view.vista === undefined) this.#open(this.at);
  }

  #openItem(item: FileItem | undefined): void {
    if (item === undefined || this.#isTrash) return;
    if (item.tipo === 'pasta') this.#go(item.caminho);
    else attempt(this.desk, () => this.desk.openFile(fileOf(item)));
  }

  #rename(item: FileItem | undefined): void {
    if (item === undefined || this.#isTrash) return;
    this.#made = null;
    const index = this.#shown?.indexOf(item.caminho) ?? -1;
    this.selection = only(item, Math.max(0, index));
    this.#view?.show(Math.max(0, index));
    this.renaming = item.caminho;
  }

  #renamed({ item, name }: { readonly item: FileItem; readonly name: string | null }): void {
    this.renaming = '';
    if (name === null || name === '' || name === item.nome) return;
    attempt(this.desk, async () => {
      const renamed = await actsOf(this.desk).rename(item, name);
      this.selection = only(renamed, this.selection.focus);
    });
  }

  async #selectAll(): Promise<void> {
    const listing = this.#shown;
    const total = listing?.state.get().total ?? 0;
    if (listing === null || total === 0) return;
    this.selection = ranged({ ...this.selection, anchor: 0 }, await listing.range(0, total), this.selection.focus);
  }

  #seek(words: string): void {
    this.#search?.abort();
    if (words.trim() === '') {
      this.found = null;
      return;
    }
    const mine = new AbortController();
    this.#search = mine;
    this.selection = nothingChosen;
    search(this.at, words.trim(), this.view.ocultos, mine.signal, (found) => {
      if (!mine.signal.aborted) this.found = found;
    }).catch((error: unknown) => {
      if (!mine.signal.aborted) this.problem = sayError(error);
    });
  }

  get #parts(): MenuParts {
    return {
      desk: this.desk,
      acts: actsOf(this.desk),
      rename: (item) => this.#rename(item),
      pin: (path) => pinFolder(this.desk, path, true),
      chooseFiles: (isFolder) => this.renderRoot.querySelector<HTMLInputElement>(isFolder ? '.folder-input' : '.files-input')?.click(),
      selectAll: () => void this.#selectAll(),
      toggleHidden: () => this.#change({ ocultos: !this.view.ocultos }),
      refresh: () => this.#listing?.refresh(),
      hidden: this.view.ocultos,
    };
  }

  #menuOf(items: readonly FileItem[]): readonly MenuGroup[] {
    if (this.#isTrash) return trashMenu(this.#parts, items);
    if (items.length > 0) return itemMenu(this.#parts, items);
    return folderGroundMenu(this.#parts, this.at, (made) => {
      this.#made = made.caminho;
      this.#listing?.refresh();
    });
  }

  #menu({ item, place }: MenuDetail): void {
    if (this.at === '') return;
    const items = item === null ? [] : this.selection.chosen.has(item.caminho) ? this.#chosen : [item];
    const name = items.length === 1 ? text('menu.file', { nome: items[0]!.nome }) : text('files.more');
    openMenu(name, this.#menuOf(items), place);
  }

  #key(event: KeyboardEvent): void {
    const [inside] = event.composedPath();
    if (inside instanceof HTMLInputElement) return;
    const { desk } = this;
    const acts = actsOf(desk);
    const items = this.#chosen;
    const paths = items.map(({ caminho }) => caminho);
    const command = event.ctrlKey || event.metaKey;
    const letter = command && !event.shiftKey ? event.key.toLowerCase() : '';
    const whole = !this.#isTrash;
    if (isMenuKey(event)) this.#menu({ item: items[0] ?? null, place: this.#view?.pointOf(this.selection.focus) ?? { x: 0, y: 0 } });
    else if (letter === 'a') void this.#selectAll();
    else if (letter === 'c' && whole && paths.length > 0) acts.clipboard.set({ paths, cut: false });
    else if (letter === 'x' && whole && paths.length > 0) acts.clipboard.set({ paths, cut: true });
    else if (letter === 'v' && whole) attempt(desk, () => acts.paste(this.at));
    else if (letter === 'z') attempt(desk, () => acts.undo());
    else if (letter === 'h') this.#change({ ocultos: !this.view.ocultos });
    else if (letter === 'l') this.typing = true;
    else if (letter === 'f') this.renderRoot.querySelector<HTMLElement>('.search')?.focus();
    else if (event.key === 'F2') this.#rename(items[0]);
    else if (event.key === 'Delete' && paths.length > 0 && !whole) erase(desk, acts, paths);
    else if (event.key === 'Delete' && paths.length > 0 && event.shiftKey) removeForGood(desk, acts, paths);
    else if (event.key === 'Delete' && paths.length > 0) attempt(desk, () => acts.trash(paths));
    else if (event.altKey && event.key === 'ArrowLeft') this.#back();
    else if (event.altKey && event.key === 'ArrowRight') this.#forward();
    else if ((event.altKey && event.key === 'ArrowUp') || event.key === 'Backspace') this.#up();
    else if (event.key === 'Escape' && acts.clipboard.get()?.cut === true) acts.clipboard.set(null);
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
    const acts = actsOf(this.desk);
    const name = this.#isTrash ? text('files.trash') : nameOfPath(this.at);
    const held = acts.clipboard.get();
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
            : html`<svc-file-view
                .listing=${listing}
                .mode=${this.view.vista}
                .label=${text('files.content', { nome: name })}
                .selection=${this.selection}
                .wordsOf=${this.#wordsOf}
                .cut=${new Set(held?.cut === true ? held.paths : [])}
                .renaming=${this.renaming}
                @select-files=${({ detail }: CustomEvent<Selection>) => (this.selection = detail)}
                @open-file=${({ detail }: CustomEvent<FileItem | undefined>) => this.#openItem(detail)}
                @rename-file=${({ detail }: CustomEvent<{ item: FileItem; name: string | null }>) => this.#renamed(detail)}
                @file-menu=${({ detail }: CustomEvent<MenuDetail>) => this.#menu(detail)}
                @drag-files=${({ detail }: CustomEvent<{ event: DragEvent; items: readonly FileItem[] }>) =>
                  this.#isTrash ? detail.event.preventDefault() : startFileDrag(detail.event, detail.items)}
                @drag-over-files=${({ detail }: CustomEvent<DragDetail>) => !this.#isTrash && this.found === null && allowDrop(detail.event)}
                @drop-files=${({ detail }: CustomEvent<DragDetail>) =>
                  !this.#isTrash && takeDrop(this.desk, acts, detail.event, detail.folder === '' ? this.at : detail.folder)}
              ></svc-file-view>`
        }
      </section>
      <svc-file-tasks class="tasks" .tasks=${acts.tasks}></svc-file-tasks>
      ${statusBar(listing?.state.get() ?? null, this.found, this.#chosen, this.space)}
      <input class="files-input" type="file" multiple hidden @change=${(event: Event) => this.#chose(event)} />
      <input class="folder-input" type="file" webkitdirectory hidden @change=${(event: Event) => this.#chose(event)} />
    </div>`;
  }

  #chose(event: Event): void {
    const input = event.target as HTMLInputElement;
    const files = chosenFiles(input.files);
    input.value = '';
    attempt(this.desk, () => actsOf(this.desk).upload(files, this.at));
  }

  #empty(): TemplateResult | typeof nothing {
    if (this.found !== null || this.problem !== null || this.#listing?.state.get().total !== 0) return nothing;
    return html`<p class="empty">${text(this.#isTrash ? 'files.emptyTrash' : 'files.empty')}</p>`;
  }

  #button(sign: Glyph, label: string, run: (event: MouseEvent) => void, disabled = false): TemplateResult {
    return html`<button class="icon-button" type="button" title=${label} aria-label=${label} ?disabled=${disabled} @click=${run}>
      ${glyph(sign)}
    </button>`;
  }

  #toolbar(name: string): TemplateResult {
    const icons = this.view.vista === 'icones';
    const below = (event: MouseEvent) => {
      const { left, bottom } = (event.currentTarget as HTMLElement).getBoundingClientRect();
      return { x: left, y: bottom + 4 };
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
      ${this.#button('forward', text('files.forward'), () => this.#forward(), this.#after.length === 0)} ${this.#crumbs()}
      <input
        class="search field"
        type="search"
        placeholder=${text('files.search', { nome: name })}
        aria-label=${text('files.search', { nome: name })}
        maxlength="255"
        ?hidden=${this.#isTrash}
        @input=${(event: Event) => this.#seek((event.target as HTMLInputElement).value)}
      />
      ${this.#button(icons ? 'tasks' : 'apps', text(icons ? 'files.asList' : 'files.asIcons'), () => this.#change({ vista: icons ? 'lista' : 'icones' }))}
      ${this.#button('plus', text('files.more'), (event) => this.at !== '' && openMenu(text('files.more'), this.#menuOf([]), below(event)))}
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

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('typing') && this.typing) this.renderRoot.querySelector<HTMLInputElement>('.path')?.select();
  }
}

customElements.define('svc-files', SvcFiles);
