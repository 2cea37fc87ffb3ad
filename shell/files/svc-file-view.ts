/**
 * Entries of a folder as a list or as icons; of a hundred thousand only those in sight are elements. It draws and tells what was done; what
 * follows from that is the window's. Source: ARIA APG, listbox with several choices.
 */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { FileItem } from '../../schema/wire/files.ts';
import { language, text } from '../i18n/i18n.ts';
import { wayBetween } from '../opening/file-path.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { entryContent, type EntryWords, type ViewMode } from './file-entry.ts';
import { coveredBy, gridOf, heightOf, inSight, placeOf, slots, type Grid } from './file-rows.ts';
import { fileViewStyles } from './file-view-styles.ts';
import type { Listing } from './listing.ts';
import { createTypedName } from './typed-name.ts';
import { renameField } from './rename-field.ts';
import { listenTouchDrags } from './touch-drags.ts';
import { focused, only, ranged, stepOf, toggled, type Selection } from './selection.ts';

const rowPx = 36;
const coarseRowPx = 48;
const iconCell = { width: 112, height: 112 };
/** Where the name begins. */
const belowIconPx = 58;
const rowsAround = 6;
/** Rows that scroll by before the visible part is drawn anew. */
const rowsAtOnce = 4;

export class SvcFileView extends LitElement {
  static override properties = {
    listing: { attribute: false },
    mode: {},
    label: {},
    selection: { attribute: false },
    wordsOf: { attribute: false },
    cut: { attribute: false },
    dims: { attribute: false },
    searchedIn: { attribute: false },
    renaming: {},
    target: { state: true },
    width: { state: true },
    height: { state: true },
    top: { state: true },
  };
  declare listing: Listing;
  declare mode: ViewMode;
  declare label: string;
  declare selection: Selection;
  declare wordsOf: (item: FileItem) => EntryWords;
  declare cut: ReadonlySet<string>;
  /** Entries that can't be chosen here. */
  declare dims: ((item: FileItem) => boolean) | null;
  /** Where a search began: entries say in which folder below it they are. '' elsewhere. */
  declare searchedIn: string;
  /** The path whose name is edited; '' none. */
  declare renaming: string;
  /** The folder that something is dragged over. */
  declare target: string;
  declare width: number;
  declare height: number;
  /** Scroll position, rounded down to a whole number of `rowsAtOnce` rows. */
  declare top: number;
  #watch = new Watch(this, () => [language]);
  #end: () => void = () => undefined;
  #endTouch: () => void = () => undefined;
  #search = createTypedName(() => performance.now());
  #finding: Promise<void> | null = null;
  #observer = new ResizeObserver(([entry]) => {
    if (entry === undefined) return;
    this.width = entry.contentRect.width;
    this.height = entry.contentRect.height;
  });
  /** Where each element stands: most of them stay there. */
  #placed = new WeakMap<HTMLElement, string>();
  #band: { readonly x: number; readonly y: number; readonly before: Selection } | null = null;

  constructor() {
    super();
    this.mode = 'lista';
    this.label = '';
    this.renaming = '';
    this.target = '';
    this.cut = new Set();
    this.dims = null;
    this.searchedIn = '';
    this.width = 0;
    this.height = 0;
    this.top = 0;
  }

  static override styles = [base, fileViewStyles];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#end();
    this.#endTouch();
  }

  get #scroll(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.scroll');
  }
  get #total(): number {
    return this.listing.state.get().total ?? 0;
  }
  get #grid(): Grid {
    const coarse = matchMedia('(pointer: coarse)').matches;
    return gridOf(Math.max(1, this.width), this.mode === 'icones' ? iconCell : { height: coarse ? coarseRowPx : rowPx });
  }

  override firstUpdated(): void {
    void this.#watch;
    if (this.#scroll === null) return;
    this.#observer.observe(this.#scroll);
    this.#endTouch = listenTouchDrags(this.#scroll, {
      isEntry: (event) => this.renaming === '' && indexAt(event) !== null,
      begin: (event) => this.#dragByTouch(event),
      trash: (event) => this.#tell('trash-files', event),
    });
  }

  /** Drags the selection that the finger rested on, by itself or with others. */
  #dragByTouch(event: DragEvent): string | null {
    const items = [...this.selection.chosen.values()];
    const [first] = items;
    if (first === undefined) return null;
    this.#tell('drag-files', { event, items });
    return event.defaultPrevented ? null : items.length === 1 ? first.nome : text('files.count', { n: items.length });
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('listing')) return;
    this.#end();
    this.#end = this.listing.state.subscribe(() => this.requestUpdate());
    this.top = 0;
  }

  override updated(changed: PropertyValues<this>): void {
    const grid = this.#grid;
    if (changed.has('listing')) this.#scroll?.scrollTo(0, 0);
    const space = this.renderRoot.querySelector<HTMLElement>('.space');
    // By the object model: the policy of the page refuses styles in markup.
    if (space !== null) space.style.height = `${heightOf(this.#total, grid)}px`;
    for (const element of this.renderRoot.querySelectorAll<HTMLElement>('[data-index]'))
      this.#put(element, Number(element.dataset['index']), grid);
    const [from, to] = this.#inSight(grid);
    this.listing.ensure(from, to);
    const input = this.renderRoot.querySelector<HTMLElement & SvcUiField>('.rename');
    if (input !== null) {
      this.#put(input, this.selection.focus, grid, this.mode === 'icones' ? belowIconPx : 0);
      if (changed.has('renaming')) {
        input.focus();
        const dot = input.value.lastIndexOf('.');
        input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
      }
    }
  }

  /** `inset`: so much of the cell is left free above. */
  #put(element: HTMLElement, index: number, grid: Grid, inset = 0): void {
    const { x, y } = placeOf(index, grid);
    const place = `${x} ${y} ${grid.cellWidth} ${grid.cellHeight}`;
    if (this.#placed.get(element) === place) return;
    this.#placed.set(element, place);
    element.style.transform = `translate(${x}px, ${y + inset}px)`;
    element.style.width = `${grid.cellWidth}px`;
    element.style.height = `${grid.cellHeight - inset}px`;
  }

  #inSight(grid: Grid): readonly [number, number] {
    return inSight(this.top, this.height + rowsAtOnce * grid.cellHeight, this.#total, grid, rowsAround);
  }

  #scrolled(top: number): void {
    const step = rowsAtOnce * this.#grid.cellHeight;
    this.top = Math.floor(top / step) * step;
  }

  focusContent(): void {
    this.renderRoot.querySelector<HTMLElement>('.space')?.focus({ preventScroll: true });
  }

  /** Where a menu of the keyboard opens. */
  pointOf(index: number): { readonly x: number; readonly y: number } {
    const box = this.renderRoot.querySelector(`[data-index='${index}']`)?.getBoundingClientRect() ?? this.getBoundingClientRect();
    return { x: box.left + Math.min(60, box.width / 2), y: box.top + Math.min(box.height, 40) };
  }

  show(index: number): void {
    const grid = this.#grid;
    const scroll = this.#scroll;
    if (scroll === null) return;
    const { y } = placeOf(index, grid);
    if (y < scroll.scrollTop) scroll.scrollTop = y;
    else if (y + grid.cellHeight > scroll.scrollTop + this.height) scroll.scrollTop = y + grid.cellHeight - this.height;
    this.#scrolled(scroll.scrollTop);
  }

  #tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #select(selection: Selection): void {
    this.#tell('select-files', selection);
  }

  async #range(to: number): Promise<void> {
    const { anchor } = this.selection;
    const items = await this.listing.range(Math.min(anchor, to), Math.max(anchor, to) + 1);
    this.#select(ranged(this.selection, items, to));
  }

  #click(event: MouseEvent, index: number): void {
    const item = this.listing.at(index);
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    if (event.shiftKey) void this.#range(index);
    else if (event.ctrlKey || event.metaKey || (isTouch && this.selection.chosen.size > 0))
      this.#select(toggled(this.selection, item, index));
    else {
      this.#select(only(item, index));
      // A finger has no second click.
      if (isTouch && item !== undefined) this.#tell('open-file', item);
    }
  }

  #key(event: KeyboardEvent): void {
    const { focus } = this.selection;
    const total = this.#total;
    if (event.altKey || this.renaming !== '') return;
    const grid = this.#grid;
    const to = stepOf(event.key, focus, { columns: grid.columns, rows: Math.floor(this.height / grid.cellHeight), total });
    if (to !== null) {
      if (event.shiftKey) void this.#range(to);
      else if (event.ctrlKey || event.metaKey) this.#select(focused(this.selection, to));
      else this.#select(only(this.listing.at(to), to));
      this.show(to);
    } else if (event.key === ' ' && !this.#search.isUnderWay()) this.#select(toggled(this.selection, this.listing.at(focus), focus));
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) void this.#find(event.key);
    else if (event.key === 'Enter' && this.#finding !== null) void this.#finding.then(() => this.press({ key: 'Enter' }));
    else if (event.key === 'Enter') this.#tell('open-file', this.selection.chosen.values().next().value ?? this.listing.at(focus));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** While what was typed is looked for; it never rejects. */
  get finding(): Promise<void> | null {
    return this.#finding;
  }

  /** As by the keyboard, on the list. */
  press(key: KeyboardEventInit): void {
    this.renderRoot
      .querySelector('.space')
      ?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, composed: true, cancelable: true, ...key }));
  }

  async #find(key: string): Promise<void> {
    const mine = this.#typed(key).catch(() => undefined);
    this.#finding = mine;
    await mine;
    if (this.#finding === mine) this.#finding = null;
  }

  /** Letters that are typed lead to the next name that begins with them. */
  async #typed(key: string): Promise<void> {
    const { listing } = this;
    const { prefix, from } = this.#search.add(key, this.selection.focus);
    const index = await listing.find(prefix, from).catch(() => null);
    const [item] = index === null ? [] : await listing.range(index, index + 1);
    if (index === null || item === undefined || listing !== this.listing || !this.#search.isOf(prefix)) return;
    this.#select(only(item, index));
    this.show(index);
  }

  #menu(event: MouseEvent): void {
    event.preventDefault();
    event.stopPropagation();
    const index = indexAt(event);
    const item = index === null ? undefined : this.listing.at(index);
    if (index !== null && item !== undefined && !this.selection.chosen.has(item.caminho)) this.#select(only(item, index));
    // The keyboard's event has no place.
    const place = event.clientX === 0 && event.clientY === 0 ? this.pointOf(this.selection.focus) : { x: event.clientX, y: event.clientY };
    this.#tell('file-menu', { item: item ?? null, place });
  }

  /** A finger draws no rectangle: its tap beside the entries gives up what is chosen. */
  #tapBeside(event: MouseEvent): void {
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    if (isTouch && indexAt(event) === null && this.renaming === '') this.#select({ ...this.selection, chosen: new Map() });
  }

  // A rectangle that is drawn on the empty part chooses what it touches.

  #down(event: PointerEvent): void {
    if (event.button !== 0 || event.pointerType === 'touch' || indexAt(event) !== null || this.renaming !== '') return;
    const scroll = this.#scroll;
    if (scroll === null || event.offsetX > scroll.clientWidth) return;
    const box = scroll.getBoundingClientRect();
    const before = event.ctrlKey || event.shiftKey ? this.selection : { ...this.selection, chosen: new Map<string, FileItem>() };
    this.#band = { x: event.clientX - box.left, y: event.clientY - box.top + scroll.scrollTop, before };
    this.#select(before);
    scroll.setPointerCapture(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const scroll = this.#scroll;
    if (this.#band === null || scroll === null) return;
    // The press ended over the page of an app, which alone received the event.
    if (event.buttons === 0) return this.#up();
    const box = scroll.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top + scroll.scrollTop;
    const area = {
      left: Math.min(x, this.#band.x),
      right: Math.max(x, this.#band.x),
      top: Math.min(y, this.#band.y),
      bottom: Math.max(y, this.#band.y),
    };
    const chosen = new Map(this.#band.before.chosen);
    for (const index of coveredBy(area, this.#total, this.#grid)) {
      const item = this.listing.at(index);
      if (item !== undefined) chosen.set(item.caminho, item);
    }
    this.#select({ ...this.#band.before, chosen });
    const band = this.renderRoot.querySelector<HTMLElement>('.band');
    if (band === null) return;
    band.hidden = false;
    band.style.transform = `translate(${area.left}px, ${area.top}px)`;
    band.style.width = `${area.right - area.left}px`;
    band.style.height = `${area.bottom - area.top}px`;
  }

  #up(): void {
    this.#band = null;
    const band = this.renderRoot.querySelector<HTMLElement>('.band');
    if (band !== null) band.hidden = true;
  }

  #over(event: DragEvent): void {
    const index = indexAt(event);
    const item = index === null ? undefined : this.listing.at(index);
    this.target = item?.tipo === 'pasta' && !this.selection.chosen.has(item.caminho) ? item.caminho : '';
    this.#tell('drag-over-files', { event, folder: this.target });
  }

  #drop(event: DragEvent): void {
    const folder = this.target;
    this.target = '';
    this.#tell('drop-files', { event, folder });
  }

  override render(): TemplateResult {
    const total = this.#total;
    const grid = this.#grid;
    const [from, to] = this.#inSight(grid);
    const item = this.renaming === '' ? undefined : this.selection.chosen.get(this.renaming);
    return html`<div
      class="scroll ${this.mode}"
      @scroll=${(event: Event) => this.#scrolled((event.target as HTMLElement).scrollTop)}
      @contextmenu=${(event: MouseEvent) => this.#menu(event)}
      @click=${(event: MouseEvent) => this.#tapBeside(event)}
      @pointerdown=${(event: PointerEvent) => this.#down(event)}
      @pointermove=${(event: PointerEvent) => this.#move(event)}
      @pointerup=${() => this.#up()}
      @pointercancel=${() => this.#up()}
      @dragover=${(event: DragEvent) => this.#over(event)}
      @dragleave=${() => (this.target = '')}
      @drop=${(event: DragEvent) => this.#drop(event)}
    >
      <div
        class="space"
        role="listbox"
        tabindex="0"
        aria-label=${this.label}
        aria-multiselectable="true"
        aria-activedescendant=${total === 0 ? nothing : `f${this.selection.focus}`}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
      >
        ${slots(from, to).map((index) => (index === undefined ? nothing : this.#kept(index, total)))}
      </div>
      ${item === undefined ? nothing : renameField(item, (name) => (this.#tell('rename-file', { item, name }), this.focusContent()))}
      <div class="band" hidden></div>
    </div>`;
  }

  /** An entry that is as it was is not looked at again. */
  #kept(index: number, total: number): unknown {
    const item = this.listing.at(index);
    const { focus, chosen } = this.selection;
    const path = item?.caminho ?? '';
    const words = item === undefined ? null : this.wordsOf(item);
    const state = [
      chosen.has(path),
      index === focus,
      this.cut.has(path),
      this.target === path,
      this.dims,
      this.searchedIn,
      this.mode,
      language.get(),
    ];
    return guard([index, item, words, total, ...state], () => this.#entry(index, total));
  }

  #entry(index: number, total: number): TemplateResult {
    const item = this.listing.at(index);
    const { focus, chosen } = this.selection;
    if (item === undefined)
      return html`<div
        class="entry waiting"
        role="option"
        id="f${index}"
        data-index=${index}
        aria-selected="false"
        aria-label=${text('files.loading')}
      ></div>`;
    const words = this.wordsOf(item);
    const isChosen = chosen.has(item.caminho);
    const where = this.searchedIn === '' ? '' : wayBetween(this.searchedIn, item.caminho);
    const isDim = this.dims?.(item) === true;
    const classes = `entry ${index === focus ? 'at' : ''} ${this.cut.has(item.caminho) || isDim ? 'cut' : ''} ${this.target === item.caminho ? 'target' : ''}`;
    return html`<div
      class=${classes}
      role="option"
      id="f${index}"
      data-index=${index}
      data-name=${item.nome}
      aria-selected=${String(isChosen)}
      aria-disabled=${isDim ? 'true' : nothing}
      aria-setsize=${total}
      aria-posinset=${index + 1}
      draggable="true"
      title=${this.mode === 'icones' ? item.nome : nothing}
      @click=${(event: MouseEvent) => this.#click(event, index)}
      @dblclick=${() => this.#tell('open-file', item)}
      @dragstart=${(event: DragEvent) => {
        if (!isChosen) this.#select(only(item, index));
        const { chosen: now } = this.selection;
        this.#tell('drag-files', { event, items: isChosen ? [...now.values()] : [item] });
      }}
    >
      ${entryContent(item, words, this.mode, where)}
    </div>`;
  }
}

/** The entry that the event is at; null: none. */
function indexAt(event: Event): number | null {
  const entry = event.composedPath().find((part) => part instanceof HTMLElement && part.dataset['index'] !== undefined);
  return entry instanceof HTMLElement ? Number(entry.dataset['index']) : null;
}

customElements.define('svc-file-view', SvcFileView);
