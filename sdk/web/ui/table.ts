/**
 * Makes the `<table>` within it one that is sorted by its heads and whose rows are chosen, by pointer and keyboard; the table stays the page's
 * own, so any template or script may fill it. Heads with `data-sort` ("text", "number", "date") sort; a cell's `data-value` counts in place of its
 * text. Rows are named by `data-id`. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/grid/
 */
import { css, html, type PropertyValues, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles, step } from './element.ts';
import { tableStyles } from './table-styles.ts';

type Direction = 'ascending' | 'descending';
type Column = HTMLTableCellElement;

const sheets = new WeakSet<Document | ShadowRoot>();

/** The table is in the page's tree: its styles too, once in each. */
function adopt(root: Node): void {
  if (!(root instanceof Document || root instanceof ShadowRoot) || sheets.has(root)) return;
  sheets.add(root);
  root.adoptedStyleSheets.push(tableStyles.styleSheet!);
}

function valueOf(row: HTMLTableRowElement, column: Column): string | number {
  const cell = row.cells[column.cellIndex];
  const words = cell?.dataset['value'] ?? cell?.textContent?.trim() ?? '';
  if (column.dataset['sort'] === 'number') return words === '' ? Number.NaN : Number(words);
  return column.dataset['sort'] === 'date' ? Date.parse(words) : words;
}

/** Rows without a value are last in either direction. */
function compare(a: string | number, b: string | number, { compare: words }: Intl.Collator, sign: 1 | -1): number {
  const [noneA, noneB] = [a, b].map((each) => each === '' || Number.isNaN(each));
  if (noneA || noneB) return Number(noneA) - Number(noneB);
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : words(String(a), String(b)));
}

export class UiTable extends KitElement implements SvcUiTable {
  static override properties = {
    label: {},
    selectable: { reflect: true },
    sortManual: { type: Boolean, attribute: 'sort-manual' },
    scrolls: { state: true },
  };
  label = '';
  selectable: 'one' | 'many' | null = null;
  /** The page orders the rows itself when it hears `sort`. */
  sortManual = false;
  protected scrolls = false;
  #selected: ReadonlySet<string> = new Set();
  #from: HTMLTableRowElement | null = null;
  #rowsSeen = new MutationObserver(() => {
    this.#arrange();
    this.#measure();
  });
  #sizes = new ResizeObserver(() => this.#measure());

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        min-width: 0;
      }
      .scroll {
        overflow-x: auto;
      }
    `,
  ];

  constructor() {
    super();
    this.addEventListener('click', (event) => this.#pressed(event));
    this.addEventListener('dblclick', (event) => this.#open(this.#rowOf(event)));
    this.addEventListener('keydown', (event) => this.#key(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    adopt(this.getRootNode());
    this.#rowsSeen.observe(this, { childList: true, subtree: true });
    this.#sizes.observe(this);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#rowsSeen.disconnect();
    this.#sizes.disconnect();
  }

  #measure(): void {
    const box = this.renderRoot.querySelector('.scroll');
    if (box === null) return;
    const isHigher = box.scrollHeight > box.clientHeight + 1;
    this.scrolls = isHigher || box.scrollWidth > box.clientWidth;
    this.#table?.classList.toggle('ui-table-scrolls', isHigher);
  }

  /** `data-id` of the chosen rows, in the order of the table. */
  get selected(): readonly string[] {
    return this.#rows.map(idOf).filter((id) => this.#selected.has(id));
  }
  set selected(ids: readonly string[]) {
    this.#selected = new Set(this.selectable === 'one' ? ids.slice(0, 1) : ids);
    this.#arrange();
  }

  get #table(): HTMLTableElement | null {
    return this.querySelector('table');
  }
  get #rows(): readonly HTMLTableRowElement[] {
    return Array.from(this.#table?.tBodies ?? [])
      .flatMap((body) => Array.from(body.rows))
      .filter((row) => !row.hidden);
  }
  get #heads(): readonly Column[] {
    return Array.from(this.#table?.tHead?.rows[0]?.cells ?? []);
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('selectable') && this.selectable !== 'many') this.#selected = new Set([...this.#selected].slice(0, 1));
    this.#arrange();
  }

  protected override languageChanged(): void {
    super.languageChanged();
    this.#arrange();
  }

  /** Writes only what differs: it runs after every change of the table, its own among them. */
  #arrange(): void {
    const table = this.#table;
    if (table === null) return;
    table.classList.add('ui-table');
    if (this.label !== '') table.ariaLabel = this.label;
    for (const head of this.#heads) if (head.dataset['sort'] !== undefined) this.#makeSortable(head);
    const choosing = this.selectable !== null;
    if (choosing) table.role = 'grid';
    else if (table.role === 'grid') table.role = null;
    if (choosing) table.ariaMultiSelectable = String(this.selectable === 'many');
    this.#boxes();
    const rows = this.#rows;
    const stop = rows.find((row) => row.tabIndex === 0) ?? rows.find((row) => this.#selected.has(idOf(row))) ?? rows[0];
    for (const row of rows) {
      if (!choosing) {
        row.removeAttribute('tabindex');
        row.ariaSelected = null;
        continue;
      }
      const tab = row === stop ? 0 : -1;
      if (row.getAttribute('tabindex') !== String(tab)) row.tabIndex = tab;
      const chosen = String(this.#selected.has(idOf(row)));
      if (row.ariaSelected !== chosen) row.ariaSelected = chosen;
    }
  }

  #makeSortable(head: Column): void {
    head.ariaSort ??= 'none';
    if (head.querySelector(':scope > button') !== null) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'ui-table-sort';
    button.append(...head.childNodes);
    head.append(button);
  }

  /** A column of boxes, for who chooses several by touch. They are of the grid's one stop: arrows and the space bar do the same. */
  #boxes(): void {
    const many = this.selectable === 'many';
    const head = this.#table?.tHead?.rows[0];
    if (!many) {
      for (const cell of this.querySelectorAll('.ui-table-pick')) cell.remove();
      return;
    }
    const rows = this.#rows;
    const chosen = rows.filter((row) => this.#selected.has(idOf(row))).length;
    if (head !== undefined) {
      const box = boxIn(head, 'th');
      box.ariaLabel = this.word('selectAll');
      box.checked = chosen > 0 && chosen === rows.length;
      box.indeterminate = chosen > 0 && chosen < rows.length;
    }
    for (const row of rows) {
      const box = boxIn(row, 'td');
      box.tabIndex = -1;
      box.ariaLabel = this.word('selectRow', { row: row.cells[1]?.textContent?.trim() ?? '' });
      box.checked = this.#selected.has(idOf(row));
    }
  }

  sort(column: string | number, direction: Direction = 'ascending'): void {
    const head = this.#heads.find((each) => (typeof column === 'number' ? each.cellIndex === column : each.dataset['key'] === column));
    if (head !== undefined) this.#sort(head, direction);
  }

  #sort(head: Column, direction: Direction): void {
    for (const each of this.#heads) if (each.dataset['sort'] !== undefined) each.ariaSort = each === head ? direction : 'none';
    const key = head.dataset['key'] ?? String(head.cellIndex);
    if (!this.emit('sort', { column: key, direction }, { cancelable: true }) || this.sortManual) return;
    const words = new Intl.Collator(document.documentElement.lang || undefined, { numeric: true, sensitivity: 'base' });
    for (const body of Array.from(this.#table?.tBodies ?? [])) {
      const sign = direction === 'ascending' ? 1 : -1;
      const known = Array.from(body.rows, (row) => [row, valueOf(row, head)] as const);
      body.append(...known.toSorted(([, a], [, b]) => compare(a, b, words, sign)).map(([row]) => row));
    }
  }

  #rowOf(event: Event): HTMLTableRowElement | null {
    const row = (event.target as Element).closest('tr');
    return row !== null && this.#rows.includes(row) ? row : null;
  }

  #choose(rows: readonly HTMLTableRowElement[], how: 'only' | 'toggle' | 'add'): void {
    if (this.selectable === null) return;
    const before = this.selected.join('\n');
    const ids = rows.map(idOf);
    if (how === 'only' || this.selectable === 'one') this.#selected = new Set(ids);
    else if (how === 'add') this.#selected = new Set([...this.#selected, ...ids]);
    else
      this.#selected = new Set([...this.#selected].filter((id) => !ids.includes(id)).concat(ids.filter((id) => !this.#selected.has(id))));
    this.#arrange();
    if (this.selected.join('\n') !== before) this.emit('change', { selected: this.selected });
  }

  #go(row: HTMLTableRowElement | undefined): void {
    if (row === undefined) return;
    for (const each of this.#rows) each.tabIndex = each === row ? 0 : -1;
    row.focus();
  }

  #between(row: HTMLTableRowElement): readonly HTMLTableRowElement[] {
    const rows = this.#rows;
    const ends = [rows.indexOf(this.#from ?? row), rows.indexOf(row)].map((at) => Math.max(0, at)).toSorted((a, b) => a - b);
    return rows.slice(ends[0], ends[1]! + 1);
  }

  #pressed(event: MouseEvent): void {
    const target = event.target as Element;
    const head = target.closest('th');
    if (head !== null && target.closest('.ui-table-sort') !== null)
      return this.#sort(head, head.ariaSort === 'ascending' ? 'descending' : 'ascending');
    const box = target.closest('.ui-table-pick');
    if (box !== null && head !== null) return this.#all(this.selected.length < this.#rows.length);
    const row = this.#rowOf(event);
    if (row === null || this.selectable === null) return;
    // A press on a control within a cell belongs to the page.
    if (box === null && target.closest('a, button, input, select, label, ui-button, ui-menu') !== null) return;
    const range = event.shiftKey && this.selectable === 'many';
    this.#choose(range ? this.#between(row) : [row], range ? 'add' : box !== null || event.ctrlKey || event.metaKey ? 'toggle' : 'only');
    if (!range) this.#from = row;
    this.#go(row);
  }

  #all(chosen: boolean): void {
    this.#choose(chosen ? this.#rows : [], 'only');
  }

  #key(event: KeyboardEvent): void {
    const row = event.target instanceof HTMLTableRowElement ? this.#rowOf(event) : null;
    if (row === null || this.selectable === null) return;
    const rows = this.#rows;
    const at = rows.indexOf(row);
    const next = step(event.key, at, rows.length, ['ArrowUp', 'ArrowDown']);
    if (next !== null) {
      const to = Math.abs(next - at) === 1 || event.key === 'Home' || event.key === 'End' ? rows[next] : row;
      this.#go(to);
      this.#from ??= row;
      if (event.shiftKey && to !== undefined) this.#choose(this.#between(to), 'only');
      else this.#from = to ?? row;
    } else if (event.key === ' ') {
      this.#choose([row], 'toggle');
      this.#from = row;
    } else if (event.key === 'Enter') this.#open(row);
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey) && this.selectable === 'many') this.#all(true);
    else return;
    event.preventDefault();
  }

  #open(row: HTMLTableRowElement | null): void {
    if (row !== null) this.emit('open', { id: idOf(row), row });
  }

  override render(): TemplateResult {
    // A scrolled table must be reachable by the keyboard; the rows of a grid already are.
    const stop = this.scrolls && this.selectable === null;
    return html`<div
      class="scroll"
      part="scroll"
      role=${stop ? 'region' : 'presentation'}
      aria-label=${stop ? this.label : ''}
      tabindex=${stop ? 0 : -1}
    >
      <slot @slotchange=${() => this.#arrange()}></slot>
    </div>`;
  }
}

const idOf = (row: HTMLTableRowElement): string => row.dataset['id'] ?? String(row.rowIndex);

function boxIn(row: HTMLTableRowElement, tag: 'th' | 'td'): HTMLInputElement {
  const known = row.querySelector<HTMLInputElement>(':scope > .ui-table-pick > input');
  if (known !== null) return known;
  const cell = document.createElement(tag);
  cell.className = 'ui-table-pick';
  const box = document.createElement('input');
  box.type = 'checkbox';
  cell.append(box);
  row.prepend(cell);
  return box;
}

define('ui-table', UiTable);
