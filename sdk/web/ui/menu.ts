/**
 * A menu that opens from a button, or at a point: arrows, Home, End, first letters, Escape; the focus goes back to where it was. Menus of
 * an entry open beside it. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/
 */
import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { deepActive } from './deep-active.ts';
import { define, holdsFocus, KitElement, kitStyles, roleOf, step, wordsOf } from './element.ts';
import { glyph } from './glyphs.ts';
import { typeAhead } from './type-ahead.ts';

/** Between a menu and the edge of the page. */
const edgePx = 8;

const at = (wanted: number, size: number, room: number): number => Math.max(edgePx, Math.min(wanted, room - size - edgePx));

/** Of what is seen, above a keyboard on the screen; fingers that zoom are none. */
function roomBelow(): number {
  const seen = visualViewport;
  return seen === null || seen.scale > 1.02 ? innerHeight : Math.min(innerHeight, seen.offsetTop + seen.height);
}

/** One is open at a time, with the menus of its entries. */
let shown: UiMenu | null = null;

function replaceShown(menu: UiMenu): void {
  shown?.close();
  shown = menu;
}

interface Place {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export class UiMenu extends KitElement implements SvcUiMenu {
  static override properties = { label: {}, open: { type: Boolean, reflect: true } };
  label = '';
  open = false;
  #typed = typeAhead();
  #backTo: HTMLElement | null = null;
  #anchor: Place | null = null;
  #beside = false;

  static override styles = [
    kitStyles,
    css`
      :host {
        display: inline-flex;
        max-width: 100%;
      }
      [role='menu'] {
        position: fixed;
        inset: auto;
        min-width: 12rem;
        max-width: calc(100vw - 16px);
        margin: 0;
        padding: calc(1.5 * var(--svc-passo));
        border: 1px solid var(--svc-borda);
        border-radius: calc(1.5 * var(--svc-raio));
        background: var(--svc-alto);
        color: var(--svc-texto);
        box-shadow: var(--svc-sombra);
        overflow: auto;
      }
      /* A press beside it closes it and does nothing else, also over a frame. */
      :host(:not([slot='submenu'])) [role='menu']::backdrop {
        pointer-events: auto;
      }
      ::slotted(hr) {
        margin: calc(1.5 * var(--svc-passo)) 0;
        border: 0;
        border-block-start: 1px solid var(--svc-borda);
      }
    `,
  ];

  get #list(): HTMLElement {
    return this.renderRoot.querySelector('[role=menu]')!;
  }
  get #trigger(): HTMLElement | null {
    return this.querySelector<HTMLElement>(':scope > [slot=trigger]');
  }
  get items(): readonly UiMenuItem[] {
    return [...this.querySelectorAll('ui-menu-item')].filter(
      (each): each is UiMenuItem => each instanceof UiMenuItem && !each.hidden && menuOf(each) === this,
    );
  }

  /** Opens below (or above) its button, or beside the entry that it belongs to. */
  show(): void {
    const trigger = this.#trigger ?? this.parentElement;
    if (trigger !== null) this.#openAt(trigger.getBoundingClientRect(), trigger, this.slot === 'submenu');
  }
  /** For `opens="…"` of a button. */
  openFrom(opener: HTMLElement): void {
    this.#openAt(opener.getBoundingClientRect(), opener, false);
  }
  /** A context menu. */
  showAt(x: number, y: number): void {
    this.#openAt({ left: x, right: x, top: y, bottom: y }, deepActive(), false);
  }
  close(): void {
    if (this.open) this.#list.hidePopover();
  }

  /** The one that has the entry that it belongs to. */
  get #outer(): UiMenu | null {
    const outer = this.slot === 'submenu' ? this.parentElement?.closest('ui-menu') : null;
    return outer instanceof UiMenu ? outer : null;
  }

  #closeInner(): void {
    for (const { submenu } of this.items) submenu?.close();
  }

  #openAt(anchor: Place, backTo: HTMLElement | null, beside: boolean): void {
    if (this.open || this.items.length === 0) return;
    const outer = this.#outer;
    if (outer !== null) outer.#closeInner();
    else replaceShown(this);
    this.#anchor = anchor;
    this.#beside = beside;
    this.#backTo = backTo;
    this.open = true;
    this.#list.showPopover();
    this.#put();
    this.focusItem(0);
  }

  #put(): void {
    const anchor = this.#anchor;
    if (anchor === null) return;
    const list = this.#list;
    list.style.maxHeight = `${roomBelow() - 2 * edgePx}px`;
    const { width, height } = list.getBoundingClientRect();
    const fitsBelow = anchor.bottom + height + edgePx <= roomBelow();
    const x = this.#beside ? (anchor.right + width + edgePx <= innerWidth ? anchor.right : anchor.left - width) : anchor.left;
    const y = this.#beside ? anchor.top : fitsBelow ? anchor.bottom + 2 : anchor.top - height - 2;
    list.style.left = `${at(x, width, innerWidth)}px`;
    list.style.top = `${at(y, height, roomBelow())}px`;
  }

  focusItem(index: number): void {
    this.items.at(index)?.focus();
  }

  override updated(changed: PropertyValues): void {
    if (!changed.has('open')) return;
    const trigger = this.#trigger;
    if (trigger === null) return;
    const told = { expanded: String(this.open), haspopup: 'menu' };
    if ('expanded' in trigger) Object.assign(trigger, told);
    else for (const [name, value] of Object.entries(told)) trigger.setAttribute(`aria-${name}`, value);
  }

  /** Before it is gone, and in the same turn: what an entry does then may take the focus. */
  #toggles(event: ToggleEvent): void {
    if (event.newState === 'open' || !this.open) return;
    this.#closeInner();
    this.open = false;
    const backTo = this.#backTo;
    this.#backTo = null;
    if (backTo?.isConnected === true && holdsFocus(this)) backTo.focus();
    this.emit('close', undefined, { bubbles: false });
  }

  /** What is beside a menu and covers the page is the menu's own, for the browser. */
  #pressedBeside(event: PointerEvent): void {
    if (event.target !== this.#list) return;
    const { left, right, top, bottom } = this.#list.getBoundingClientRect();
    const isIn = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (!isIn) this.close();
  }

  #triggerKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    this.show();
    if (event.key === 'ArrowUp') this.focusItem(-1);
  }

  /** Of the entries of this menu only: those of an inner one hear their own. */
  #key(event: KeyboardEvent): void {
    const { items } = this;
    const from = items.findIndex((item) => item === (event.target as Element).closest('ui-menu-item'));
    if (from < 0) return;
    const next = step(event.key, from, items.length, ['ArrowUp', 'ArrowDown']);
    const item = items[from]!;
    if (next !== null) items[next]!.focus();
    else if (event.key === 'Escape' || (event.key === 'ArrowLeft' && this.slot === 'submenu')) this.close();
    else if (event.key === 'Tab') this.#closeAll();
    else if (event.key === 'Enter' || event.key === ' ') item.click();
    else if (event.key === 'ArrowRight' && item.submenu !== null) item.submenu.show();
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const labels = items.map((each) => each.words);
      items[this.#typed(event.key, labels, from) ?? from]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** With the menus that it is in. */
  #closeAll(): void {
    this.close();
    const outer = this.#outer;
    if (outer !== null) outer.#closeAll();
  }

  #clicked(event: Event): void {
    const item = (event.target as Element).closest?.('ui-menu-item');
    if (!(item instanceof UiMenuItem) || menuOf(item) !== this) return;
    event.stopPropagation();
    if (item.disabled) return;
    if (item.submenu !== null) return item.submenu.show();
    item.choose();
    this.#closeAll();
    item.dispatchEvent(new CustomEvent('choose', { detail: { value: item.value, item }, bubbles: true }));
  }

  /** The browser closes an "auto" popover when the finger goes that opened it by resting on something. */
  override render(): TemplateResult {
    return html`<slot
        name="trigger"
        @click=${() => this.show()}
        @keydown=${(event: KeyboardEvent) => this.#triggerKey(event)}
        @slotchange=${() => this.updated(new Map([['open', false]]))}
      ></slot>
      <div
        popover="manual"
        role="menu"
        part="menu"
        aria-label=${this.label || (this.#triggerWords() ?? nothing)}
        @beforetoggle=${(event: ToggleEvent) => this.#toggles(event)}
        @pointerdown=${(event: PointerEvent) => this.#pressedBeside(event)}
        @contextmenu=${(event: Event) => event.preventDefault()}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
        @click=${(event: Event) => this.#clicked(event)}
      >
        <slot></slot>
      </div>`;
  }

  #triggerWords(): string | undefined {
    return (this.#trigger ?? (this.slot === 'submenu' ? this.parentElement : null))?.textContent?.trim().split('\n', 1)[0];
  }
}

const menuOf = (item: Element): Element | null => item.closest('ui-menu');

class UiMenuGroup extends KitElement implements SvcUiMenuGroup {
  static override properties = { heading: {} };
  heading = '';

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
      }
      p {
        padding: calc(1.5 * var(--svc-passo)) calc(2.5 * var(--svc-passo)) var(--svc-passo);
        color: var(--svc-texto-fraco);
        font-size: 0.8125em;
        font-weight: 600;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    roleOf(this, 'group');
  }
  override updated(): void {
    this.ariaLabel = this.heading || null;
  }
  override render(): TemplateResult {
    return html`${this.heading === '' ? nothing : html`<p aria-hidden="true">${this.heading}</p>`}<slot></slot>`;
  }
}

export class UiMenuItem extends KitElement implements SvcUiMenuItem {
  static override properties = {
    value: {},
    type: { reflect: true },
    checked: { type: Boolean, reflect: true },
    disabled: { type: Boolean, reflect: true },
    detail: {},
    keys: {},
  };
  value = '';
  type: 'command' | 'checkbox' | 'radio' = 'command';
  checked = false;
  disabled = false;
  detail = '';
  keys = '';

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        border-radius: var(--svc-raio);
        cursor: pointer;
      }
      :host(:focus-visible) {
        outline-offset: -2px;
      }
      :host(:focus),
      :host(:hover) {
        background: var(--svc-superficie-alta);
      }
      :host([disabled]) {
        color: var(--svc-texto-fraco);
        cursor: default;
      }
      .row {
        display: flex;
        align-items: center;
        gap: calc(2.5 * var(--svc-passo));
        min-height: var(--svc-controle);
        padding: var(--svc-passo) calc(2.5 * var(--svc-passo));
      }
      .mark {
        display: grid;
        flex: none;
        width: 18px;
        color: var(--svc-texto-fraco);
      }
      .words {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      small,
      .keys {
        color: var(--svc-texto-fraco);
        font-size: 0.875em;
      }
      small {
        display: block;
      }
      /* Fingers have no such keys. */
      @media (pointer: coarse) {
        .keys {
          display: none;
        }
      }
    `,
  ];

  get submenu(): UiMenu | null {
    return this.querySelector<UiMenu>(':scope > ui-menu');
  }
  /** Its own label, without what its menu says. */
  get words(): string {
    return wordsOf(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.tabIndex = -1;
  }

  /** A box is ticked or not, of radios up to the next line one is. */
  choose(): void {
    if (this.type === 'checkbox') this.checked = !this.checked;
    if (this.type !== 'radio') return;
    for (const side of ['previousElementSibling', 'nextElementSibling'] as const) {
      for (let other = this[side]; other instanceof UiMenuItem && other.type === 'radio'; other = other[side]) other.checked = false;
    }
    this.checked = true;
  }

  override updated(): void {
    const { submenu } = this;
    if (submenu !== null) submenu.slot = 'submenu';
    roleOf(this, this.type === 'command' ? 'menuitem' : `menuitem${this.type}`);
    this.ariaDisabled = this.disabled ? 'true' : null;
    this.ariaChecked = this.type === 'command' ? null : String(this.checked);
    this.ariaHasPopup = submenu === null ? null : 'menu';
  }

  override render(): TemplateResult {
    const mark = this.type !== 'command' && this.checked ? glyph('check', 18) : html`<slot name="start"></slot>`;
    return html`<div class="row">
        <span class="mark">${mark}</span>
        <span class="words"
          ><slot @slotchange=${() => this.requestUpdate()}></slot
          >${this.detail === '' ? nothing : html`<small>${this.detail}</small>`}</span
        >
        ${this.keys === '' ? nothing : html`<span class="keys">${this.keys}</span>`}<slot name="end"></slot>
        ${this.submenu === null ? nothing : glyph('right', 16)}
      </div>
      <slot name="submenu"></slot>`;
  }
}

define('ui-menu', UiMenu);
define('ui-menu-group', UiMenuGroup);
define('ui-menu-item', UiMenuItem);
