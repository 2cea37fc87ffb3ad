/**
 * A tree of `ui-tree-item` within each other: one Tab stop, arrows go and open, letters find. An item with `lazy` says `expand` the first time
 * it is opened; what is put into it then shows. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/treeview/
 */
import { css, html, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles, roleOf, step, wordsOf } from './element.ts';
import { glyph } from './glyphs.ts';
import { typeAhead } from './type-ahead.ts';

export class UiTreeItem extends KitElement implements SvcUiTreeItem {
  static override properties = {
    value: {},
    expanded: { type: Boolean, reflect: true },
    selected: { type: Boolean, reflect: true },
    disabled: { type: Boolean, reflect: true },
    lazy: { type: Boolean, reflect: true },
  };
  value = '';
  expanded = false;
  selected = false;
  disabled = false;
  lazy = false;
  #observer = new MutationObserver(() => this.requestUpdate());

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
      }
      :host(:focus-visible) {
        outline: none;
      }
      :host(:focus-visible) > .row {
        outline: 2px solid var(--svc-foco);
        outline-offset: -2px;
      }
      .row {
        display: flex;
        align-items: center;
        gap: calc(1.5 * var(--svc-passo));
        min-height: var(--svc-controle);
        padding-inline: calc(2 * var(--svc-passo) + var(--ui-tree-level, 0) * 1.25rem) calc(2 * var(--svc-passo));
        border-radius: var(--svc-raio);
        cursor: pointer;
      }
      .row:hover {
        background: var(--svc-superficie-alta);
      }
      :host([selected]) > .row {
        background: var(--svc-selecao);
        box-shadow: inset 3px 0 0 var(--svc-acento);
      }
      :host([disabled]) > .row {
        color: var(--svc-texto-fraco);
        cursor: not-allowed;
      }
      .turn {
        display: grid;
        flex: none;
        width: 16px;
        color: var(--svc-texto-fraco);
      }
      :host([expanded]) > .row > .turn svg {
        transform: rotate(90deg);
      }
      .words {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      @media (forced-colors: active) {
        :host([selected]) > .row {
          outline: 2px solid Highlight;
          outline-offset: -2px;
        }
      }
    `,
  ];

  get items(): readonly UiTreeItem[] {
    return itemsIn(this);
  }
  get words(): string {
    return wordsOf(this);
  }
  get above(): UiTreeItem | null {
    return this.parentElement instanceof UiTreeItem ? this.parentElement : null;
  }
  get hasItems(): boolean {
    return this.lazy || this.items.length > 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    roleOf(this, 'treeitem');
    this.slot = this.above === null ? '' : 'items';
    this.#observer.observe(this, { childList: true, characterData: true, subtree: true });
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  /** The tree makes the item that has the focus its stop: what holds a stop has no tabindex until then. */
  override focus(options?: FocusOptions): void {
    if (!this.hasAttribute('tabindex')) this.tabIndex = -1;
    super.focus(options);
  }

  /** True when it changed. */
  open(expanded: boolean): boolean {
    if (!this.hasItems || this.expanded === expanded) return false;
    this.expanded = expanded;
    this.emit(expanded ? 'expand' : 'collapse', { value: this.value, item: this });
    return true;
  }

  override updated(): void {
    this.ariaExpanded = this.hasItems ? String(this.expanded) : null;
    this.ariaSelected = String(this.selected);
    this.ariaDisabled = this.disabled ? 'true' : null;
    let level = 0;
    for (let at = this.above; at !== null; at = at.above) level += 1;
    this.ariaLevel = String(level + 1);
    this.style.setProperty('--ui-tree-level', String(level));
  }

  override render(): TemplateResult {
    return html`<div class="row" part="row">
        <span class="turn">${this.hasItems ? glyph('right', 16) : ''}</span>
        <slot name="start"></slot><span class="words"><slot></slot></span><slot name="end"></slot>
      </div>
      <div role="group" ?hidden=${!this.expanded}><slot name="items"></slot></div>`;
  }
}

const itemsIn = (element: Element): readonly UiTreeItem[] =>
  [...element.children].filter((each): each is UiTreeItem => each instanceof UiTreeItem && !each.hidden);

class UiTree extends KitElement implements SvcUiTree {
  static override properties = { label: {} };
  label = '';
  #typed = typeAhead();
  /** Where the focus was last. */
  #at: UiTreeItem | null = null;
  #observer = new MutationObserver(() => this.#stop());

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        min-width: 0;
      }
    `,
  ];

  constructor() {
    super();
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('click', (event) => this.#pressed(event));
    this.addEventListener('focusin', ({ target }) => target instanceof UiTreeItem && this.#stop((this.#at = target)));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    roleOf(this, 'tree');
    this.#observer.observe(this, { childList: true, subtree: true, attributeFilter: ['expanded', 'hidden', 'selected'] });
    // Not now: of a tree that came with its items (innerHTML) they become elements after it.
    queueMicrotask(() => this.#stop());
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  get selected(): UiTreeItem | null {
    return this.querySelector<UiTreeItem>('ui-tree-item[selected]');
  }

  /** In the order in which they are seen. */
  #seen(): readonly UiTreeItem[] {
    const seen: UiTreeItem[] = [];
    const add = (items: readonly UiTreeItem[]): void => {
      for (const item of items) {
        seen.push(item);
        if (item.expanded) add(item.items);
      }
    };
    add(itemsIn(this));
    return seen;
  }

  /**
   * Sets the item that is the stop of Tab: the focused one, the selected one, or the first; for an item inside a closed one, the closed
   * one. The items around it have no tabindex at all: Chromium skips whatever is slotted into a host with -1.
   */
  #stop(wanted: UiTreeItem | null = this.contains(this.#at) ? this.#at : this.selected): void {
    const seen = this.#seen();
    let stop = wanted;
    while (stop !== null && !seen.includes(stop)) stop = stop.above;
    stop ??= seen[0] ?? null;
    for (const item of this.querySelectorAll<UiTreeItem>('ui-tree-item')) {
      if (item === stop) item.tabIndex = 0;
      else if (stop !== null && item.contains(stop)) item.removeAttribute('tabindex');
      else item.tabIndex = -1;
    }
  }

  #go(item: UiTreeItem | null | undefined): void {
    if (item == null) return;
    this.#stop((this.#at = item));
    item.focus();
  }

  #select(item: UiTreeItem): void {
    if (item.disabled) return;
    for (const other of this.querySelectorAll<UiTreeItem>('ui-tree-item[selected]')) other.selected = other === item;
    item.selected = true;
    this.emit('change', { value: item.value, item });
  }

  #key(event: KeyboardEvent): void {
    const own = event.target;
    if (!(own instanceof UiTreeItem) || event.ctrlKey || event.metaKey || event.altKey) return;
    const seen = this.#seen();
    const at = seen.indexOf(own);
    const next = step(event.key, at, seen.length, ['ArrowUp', 'ArrowDown']);
    if (next !== null) {
      // The first and the last are ends, not neighbours.
      if (Math.abs(next - at) === 1 || event.key === 'Home' || event.key === 'End') this.#go(seen[next]);
    } else if (event.key === 'ArrowRight') {
      if (!own.open(true) && own.expanded) this.#go(own.items[0]);
    } else if (event.key === 'ArrowLeft') {
      if (!own.open(false)) this.#go(own.above);
    } else if (event.key === 'Enter' || event.key === ' ') this.#select(own);
    else if (event.key === '*') for (const side of own.above?.items ?? itemsIn(this)) side.open(true);
    else if (event.key.length === 1) {
      const found = this.#typed(
        event.key,
        seen.map(({ words }) => words),
        at,
      );
      this.#go(found === null ? null : seen[found]);
    } else return;
    event.preventDefault();
  }

  #pressed(event: MouseEvent): void {
    const path = event.composedPath();
    const item = path.find((each): each is UiTreeItem => each instanceof UiTreeItem);
    // A button within an item is its own.
    if (item === undefined || event.defaultPrevented) return;
    this.#go(item);
    const turned = path.some((each) => each instanceof Element && each.classList.contains('turn'));
    if (turned) item.open(!item.expanded);
    else this.#select(item);
  }

  override updated(): void {
    this.ariaLabel = this.label || null;
  }
  override render(): TemplateResult {
    return html`<slot></slot>`;
  }
}

define('ui-tree-item', UiTreeItem);
define('ui-tree', UiTree);
