/**
 * The entries of one place (a folder, the trash, the results of a search) with all acts on them: choose, open, name, move, drop, by mouse,
 * finger and keyboard. Used in a window of files and on the desktop. Opening a folder emits `go` (its path), which bubbles.
 */
import { css, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { letterOf } from '../../schema/bridge/key-letter.ts';
import type { FileItem } from '../../schema/wire/files.ts';
import { attempt } from '../windows/attempt.ts';
import type { FilesDesk } from './desk-acts.ts';
import { language, text } from '../i18n/i18n.ts';
import { trashPlace } from '../opening/file-path.ts';
import { Watch } from '../state/signal.ts';
import { isMenuKey, openMenu, type MenuGroup, type MenuPlace } from '../ui/menu.ts';
import type { FileActs } from './acts.ts';
import { actsOf } from './desk-acts.ts';
import { chosenFiles } from './dropped.ts';
import { entryWords, fileOf } from './entry-words.ts';
import { allowDrop, dropInTrash, startFileDrag, takeDrop } from './file-drags.ts';
import { erase, folderGroundMenu, itemMenu, removeForGood, trashMenu, type MenuParts } from './file-menus.ts';
import type { Listing } from './listing.ts';
import { pinFolder } from './places.ts';
import { kept, nothingChosen, only, ranged, type Held, type Selection } from './selection.ts';
import { printing } from '../viewer/print.ts';
import './svc-file-view.ts';
import type { EntryWords, ViewMode } from './file-entry.ts';
import type { SvcFileView } from './svc-file-view.ts';

type MenuDetail = { readonly item: FileItem | null; readonly place: MenuPlace };
type DragDetail = { readonly event: DragEvent; readonly folder: string };

/** Restrictions of a picker on its entries. */
export interface Picks {
  /** The part of a selection that can be chosen. */
  readonly among: (selection: Selection) => Selection;
  /** Whether an entry can't be. */
  readonly dims: (item: FileItem) => boolean;
}

/** A folder with no more entries is read in full: what is not among them is gone. */
const readInFull = 200;

export class SvcFolder extends LitElement {
  static override properties = {
    desk: { attribute: false },
    listing: { attribute: false },
    place: { attribute: false },
    searched: { attribute: false },
    mode: { attribute: false },
    hiddenShown: { attribute: false },
    label: { attribute: false },
    groundLabel: { attribute: false },
    others: { attribute: false },
    picks: { attribute: false },
    selection: { state: true },
    renaming: { state: true },
  };
  declare desk: FilesDesk;
  declare listing: Listing;
  /** The folder or `trashPlace`; of a search, where it began. */
  declare place: string;
  declare searched: boolean;
  declare mode: ViewMode;
  declare hiddenShown: boolean;
  declare label: string;
  /** Name of the background's menu; '' as in a window. */
  declare groundLabel: string;
  /** Further groups of it. */
  declare others: readonly MenuGroup[];
  /** Entries can only be chosen: which, and whether several; opening one emits `pick-file`. Null: all acts are possible. */
  declare picks: Picks | null;
  declare selection: Selection;
  declare renaming: string;
  #wordsOf: ((item: FileItem) => EntryWords) | null = null;
  #end: () => void = () => undefined;
  #endActs: () => void = () => undefined;
  /** Path of a new entry, which is shown with its name in edit. */
  #made: string | null = null;
  #held: Held = { focus: null, anchor: null };
  /** The menu that is open, and the paths that it is of; none: of the folder. */
  #menuOpen: { readonly menu: SvcUiMenu; readonly paths: readonly string[] } | null = null;
  /** Path of a renamed entry, which is scrolled into sight at its new place. */
  #renamedTo: string | null = null;
  /** By the path before: entries that are shown under it until the folder was read again. */
  readonly #renames = new Map<string, Promise<FileItem>>();

  constructor() {
    super();
    this.searched = false;
    this.mode = 'icones';
    this.hiddenShown = false;
    this.label = '';
    this.groundLabel = '';
    this.others = [];
    this.picks = null;
    this.selection = nothingChosen;
    this.renaming = '';
  }

  static override styles = css`
    :host {
      display: block;
      min-height: 0;
    }
  `;

  override firstUpdated(): void {
    const { desk } = this;
    const { clipboard, undoable } = actsOf(desk);
    void new Watch(this, () => [language, desk.opening.openers, clipboard, undoable]);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { taken } = this.#acts.tasks;
    this.#endActs = taken.subscribe(() => this.#taken(taken.get()));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#endActs();
    this.#end();
    this.#menuOpen?.menu.close();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    this.#wordsOf ??= entryWords(this.desk);
    if (!changed.has('listing')) return;
    this.#end();
    // It is of what was shown before.
    this.#menuOpen?.menu.close();
    const { listing } = this;
    this.#end = listing.state.subscribe(() => this.#listed(listing));
    // Results of a search arrive repeatedly.
    if (this.searched && !changed.has('searched')) return;
    this.renaming = '';
    this.#renames.clear();
    this.#select(nothingChosen);
  }

  get #isTrash(): boolean {
    return this.place === trashPlace;
  }
  get #acts(): FileActs {
    return actsOf(this.desk);
  }
  get #view(): SvcFileView | null {
    return this.renderRoot.querySelector<SvcFileView>('svc-file-view');
  }

  /** Resolves when there is something to focus. */
  get drawn(): Promise<unknown> {
    return this.updateComplete.then(async () => await this.#view?.updateComplete);
  }

  focusContent(): void {
    this.#view?.focusContent();
  }

  openGroundMenu(place: MenuPlace): void {
    this.#menu({ item: null, place });
  }

  #select(given: Selection): void {
    const selection = this.picks === null ? given : this.picks.among(given);
    this.#hold(selection);
    this.#keep(selection);
  }

  #keep(selection: Selection): void {
    this.selection = selection;
    this.dispatchEvent(new CustomEvent('choose-files', { detail: [...selection.chosen.values()] }));
  }

  /** A listing that is read in part does not tell that they are gone. */
  #taken(paths: readonly string[]): void {
    const chosen = new Map(this.selection.chosen);
    for (const path of paths) chosen.delete(path);
    if (chosen.size < this.selection.chosen.size) this.#keep({ ...this.selection, chosen });
  }

  #hold({ focus, anchor }: Selection): void {
    const path = (index: number): string | null => this.listing.at(index)?.caminho ?? null;
    this.#held = { focus: path(focus), anchor: path(anchor) };
  }

  #listed(listing: Listing): void {
    const { total } = listing.state.get();
    if (total === null) return this.#select(nothingChosen);
    const held = this.#held;
    const isGone = (path: string): boolean => listing.indexOf(path) === -1 && total <= readInFull;
    if (this.#menuOpen?.paths.some(isGone) === true) this.#menuOpen.menu.close();
    this.#select(kept(this.selection, total, isGone, held, (path) => listing.indexOf(path)));
    // An entry on a page that is still to be read is followed when it is.
    const still = (now: string | null, before: string | null): string | null => (before === null || isGone(before) ? now : before);
    this.#held = { focus: still(this.#held.focus, held.focus), anchor: still(this.#held.anchor, held.anchor) };
    const renamed = this.#renamedTo === null ? -1 : listing.indexOf(this.#renamedTo);
    if (renamed !== -1) {
      this.#renamedTo = null;
      this.#renames.clear();
      this.#view?.show(renamed);
    }
    const made = this.#made === null ? -1 : listing.indexOf(this.#made);
    if (made !== -1) this.#rename(listing.at(made));
  }

  /** Null: the place of the keyboard is an entry that was not read yet. */
  #open(item: FileItem | null): void {
    if (item === null || this.#isTrash) return;
    const renamed = this.#renames.get(item.caminho);
    // A failed rename was reported already.
    if (renamed !== undefined) void renamed.then((now) => this.#open(now)).catch(() => undefined);
    else if (item.tipo === 'pasta') this.dispatchEvent(new CustomEvent('go', { detail: item.caminho, bubbles: true }));
    else if (item.tipo !== 'arquivo')
      this.desk.toast.set({
        words: text(item.tipo === 'quebrado' ? 'files.brokenWords' : 'files.specialWords', { nome: item.nome }),
        open: null,
      });
    else if (this.picks !== null) this.dispatchEvent(new CustomEvent('pick-file', { detail: item }));
    else attempt(this.desk, () => this.desk.openFile(fileOf(item)));
  }

  #rename(item: FileItem | undefined): void {
    if (item === undefined || this.#isTrash) return;
    this.#made = null;
    const index = Math.max(0, this.listing.indexOf(item.caminho));
    this.#select(only(item, index));
    this.#view?.show(index);
    this.renaming = item.caminho;
  }

  #renamed({ item, name }: { readonly item: FileItem; readonly name: string | null }): void {
    this.renaming = '';
    if (name === null || name === '' || name === item.nome) return;
    const renamed = this.#acts.rename(item, name);
    this.#renames.set(item.caminho, renamed);
    attempt(this.desk, async () => {
      const now = await renamed.catch((error: unknown) => {
        this.#renames.delete(item.caminho);
        throw error;
      });
      const index = this.listing.indexOf(now.caminho);
      this.#select(only(now, index === -1 ? this.selection.focus : index));
      this.#held = { focus: now.caminho, anchor: now.caminho };
      if (index === -1) this.#renamedTo = now.caminho;
      else {
        this.#renames.delete(item.caminho);
        this.#view?.show(index);
      }
    });
  }

  async #selectAll(): Promise<void> {
    const total = this.listing.state.get().total ?? 0;
    if (total > 0) this.#select(ranged({ ...this.selection, anchor: 0 }, await this.listing.range(0, total), this.selection.focus));
  }

  /** The browser asks which of this computer are to be sent here. */
  chooseUploads(isFolder = false): void {
    this.renderRoot.querySelector<HTMLInputElement>(isFolder ? '.folder-input' : '.files-input')?.click();
  }

  get #parts(): MenuParts {
    return {
      desk: this.desk,
      acts: this.#acts,
      rename: (item) => this.#rename(item),
      pin: (path) => pinFolder(this.desk, path, true),
      chooseFiles: (isFolder) => this.chooseUploads(isFolder),
      selectAll: () => void this.#selectAll(),
      toggleHidden: () => this.dispatchEvent(new CustomEvent('toggle-hidden')),
      refresh: () => this.listing.refresh(),
      hidden: this.hiddenShown,
    };
  }

  /** Made in the folder that is shown, and its name edited. */
  newFolder(): void {
    attempt(this.desk, async () => this.#show(await this.#acts.newFolder(this.place)));
  }

  #show(made: FileItem): void {
    this.#made = made.caminho;
    this.listing.refresh();
  }

  #menuOf(items: readonly FileItem[]): readonly MenuGroup[] {
    if (this.#isTrash) return trashMenu(this.#parts, items);
    if (items.length > 0) return itemMenu(this.#parts, items);
    const ground = folderGroundMenu(this.#parts, this.place, (made) => this.#show(made));
    return [...ground, ...this.others];
  }

  #menu({ item, place }: MenuDetail): void {
    if (this.place === '' || this.picks !== null) return;
    const { chosen } = this.selection;
    const items = item === null ? [] : chosen.has(item.caminho) ? [...chosen.values()] : [item];
    const name = items.length === 1 ? text('menu.file', { nome: items[0]!.nome }) : this.groundLabel || text('files.more');
    const menu = openMenu(name, this.#menuOf(items), { of: this, ...place });
    this.#menuOpen = { menu, paths: items.map(({ caminho }) => caminho) };
    menu.addEventListener('close', () => this.#menuOpen?.menu === menu && (this.#menuOpen = null));
  }

  #key(event: KeyboardEvent): void {
    const [inside] = event.composedPath();
    if (inside instanceof HTMLInputElement || this.picks !== null) return;
    const { desk } = this;
    const acts = this.#acts;
    const items = [...this.selection.chosen.values()];
    const paths = items.map(({ caminho }) => caminho);
    const letter = (event.ctrlKey || event.metaKey) && !event.shiftKey ? letterOf(event) : '';
    const whole = !this.#isTrash;
    const print = letter === 'p' && whole && items.length === 1 ? printing(desk, items[0]!) : null;
    const finding = this.#view?.finding ?? null;
    if (finding !== null && (event.key === 'F2' || event.key === 'Delete')) this.#after(finding, event);
    else if (isMenuKey(event)) this.#menu({ item: items[0] ?? null, place: this.#view?.pointOf(this.selection.focus) ?? { x: 0, y: 0 } });
    else if (letter === 'a') void this.#selectAll();
    else if (letter === 'c' && whole && paths.length > 0) acts.clipboard.set({ paths, cut: false });
    else if (letter === 'x' && whole && paths.length > 0) acts.clipboard.set({ paths, cut: true });
    else if (letter === 'v' && whole) attempt(desk, () => acts.paste(this.place));
    else if (letter === 'z') attempt(desk, () => acts.undo());
    else if (print !== null) attempt(desk, print);
    else if (event.key === 'F2') this.#rename(items[0]);
    else if (event.key === 'Delete' && paths.length > 0 && !whole) erase(desk, acts, paths);
    else if (event.key === 'Delete' && paths.length > 0 && event.shiftKey) removeForGood(desk, acts, paths);
    else if (event.key === 'Delete' && paths.length > 0) attempt(desk, () => acts.trash(paths));
    else if (event.key === 'Escape' && acts.clipboard.get()?.cut === true) acts.clipboard.set(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Text typed over the list may move the focus in a moment: the key goes to the entry found. */
  #after(finding: Promise<void>, event: KeyboardEvent): void {
    const { key, shiftKey } = event;
    void finding.then(() => this.#view?.press({ key, shiftKey }));
  }

  #chose(event: Event): void {
    const input = event.target as HTMLInputElement;
    const files = chosenFiles(input.files);
    input.value = '';
    attempt(this.desk, () => this.#acts.upload(files, this.place));
  }

  override render(): TemplateResult {
    const acts = this.#acts;
    const held = acts.clipboard.get();
    return html`<svc-file-view
        .listing=${this.listing}
        .mode=${this.mode}
        .label=${this.label}
        .selection=${this.selection}
        .wordsOf=${this.#wordsOf}
        .cut=${new Set(held?.cut === true ? held.paths : [])}
        .renaming=${this.renaming}
        .dims=${this.picks?.dims ?? null}
        .searchedIn=${this.searched ? this.place : ''}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
        @select-files=${({ detail }: CustomEvent<Selection>) => this.#select(detail)}
        @open-file=${({ detail }: CustomEvent<FileItem | null>) => this.#open(detail)}
        @rename-file=${({ detail }: CustomEvent<{ item: FileItem; name: string | null }>) => this.#renamed(detail)}
        @file-menu=${({ detail }: CustomEvent<MenuDetail>) => this.#menu(detail)}
        @drag-files=${({ detail }: CustomEvent<{ event: DragEvent; items: readonly FileItem[] }>) =>
          this.#isTrash || this.picks !== null ? detail.event.preventDefault() : startFileDrag(detail.event, detail.items)}
        @trash-files=${({ detail }: CustomEvent<DragEvent>) => dropInTrash(this.desk, acts, detail)}
        @drag-over-files=${({ detail }: CustomEvent<DragDetail>) => !this.#isTrash && !this.searched && this.picks === null && allowDrop(detail.event)}
        @drop-files=${({ detail }: CustomEvent<DragDetail>) =>
          !this.#isTrash &&
          this.picks === null &&
          takeDrop(this.desk, acts, detail.event, detail.folder === '' ? this.place : detail.folder)}
      ></svc-file-view>
      <input class="files-input" type="file" multiple hidden @change=${(event: Event) => this.#chose(event)} />
      <input class="folder-input" type="file" webkitdirectory hidden @change=${(event: Event) => this.#chose(event)} />`;
  }
}

customElements.define('svc-folder', SvcFolder);
