/**
 * A menu that opens from a button, or at a point: arrows, Home, End, first letters, Escape; the focus goes back to where it was. Menus of
 * an entry open beside it. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/
 */
import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { deepActive } from './deep-active.ts';
import { define, holdsFocus, KitElement, kitStyles, step } from './element.ts';
import { UiMenuItem } from './menu-item.ts';
import { endsWith } from './menu-end.ts';
import { typeAhead } from './type-ahead.ts';

/** Between a menu and the edge of the page. */
const edgePx = 8;

const at = (wanted: number, size: number, room: number): number => Math.max(edgePx, Math.min(wanted, room - size - edgePx));

/** Height of the visible part, above a keyboard on the screen; a zoom by fingers does not count. */
function roomBelow(): number {
  const seen = visualViewport;
  return seen === null || seen.scale > 1.02 ? innerHeight : Math.min(innerHeight, seen.offsetTop + seen.height);
}

/** The open menu, one at a time, with the menus of its entries. */
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
  /** Gives where it is anchored now: a button may move while the menu is open. */
  #anchor: (() => Place) | null = null;
  #beside = false;
  #closing = new AbortController();
  readonly #internals = this.attachInternals();

  static override styles = [
    kitStyles,
    css`
      :host {
        display: inline-flex;
        max-width: 100%;
      }
      /* Without a button it takes no place in the page. */
      :host(:state(free)) {
        display: contents;
      }
      /* Over the whole page, frames too: the browser's own backdrop of a popover takes no press. */
      .layer {
        position: fixed;
        inset: 0;
        width: auto;
        height: auto;
        margin: 0;
        padding: 0;
        border: 0;
        overflow: clip;
        background: transparent;
        color: inherit;
        touch-action: none;
      }
      :host([slot='submenu']) .layer {
        pointer-events: none;
      }
      [role='menu'] {
        position: fixed;
        min-width: 12rem;
        max-width: calc(100vw - 16px);
        padding: calc(1.5 * var(--svc-passo));
        border: 1px solid var(--svc-borda);
        border-radius: calc(1.5 * var(--svc-raio));
        background: var(--svc-alto);
        color: var(--svc-texto);
        box-shadow: var(--svc-sombra);
        outline: none;
        overflow: auto;
        overscroll-behavior: contain;
        pointer-events: auto;
        touch-action: auto;
      }
      ::slotted(hr) {
        margin: calc(1.5 * var(--svc-passo)) 0;
        border: 0;
        border-block-start: 1px solid var(--svc-borda);
      }
    `,
  ];

  get #layer(): HTMLElement {
    return this.renderRoot.querySelector('.layer')!;
  }
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
    if (trigger !== null) this.#openAt(() => trigger.getBoundingClientRect(), trigger, trigger, this.slot === 'submenu');
  }
  /** For `opens="…"` of a button. */
  openFrom(opener: HTMLElement): void {
    this.#openAt(() => opener.getBoundingClientRect(), opener, opener, false);
  }
  /** A context menu. It closes when the element that it is of is gone or scrolled. */
  showAt(x: number, y: number, of: Element | null = null): void {
    this.#openAt(() => ({ left: x, right: x, top: y, bottom: y }), deepActive(), of, false);
  }
  close(): void {
    if (this.open) this.#layer.hidePopover();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // The browser tells nothing of a popover that is taken out of the page.
    if (!this.open) return;
    this.#ended();
    if (deepActive() === document.body) this.#giveBack();
  }

  /** The one that has the entry that it belongs to. */
  get #outer(): UiMenu | null {
    const outer = this.slot === 'submenu' ? this.parentElement?.closest('ui-menu') : null;
    return outer instanceof UiMenu ? outer : null;
  }

  #closeInner(): void {
    for (const { submenu } of this.items) submenu?.close();
  }

  #openAt(anchor: () => Place, backTo: HTMLElement | null, of: Element | null, beside: boolean): void {
    if (this.open || this.items.length === 0) return;
    const outer = this.#outer;
    if (outer !== null) outer.#closeInner();
    else replaceShown(this);
    this.#anchor = anchor;
    this.#beside = beside;
    this.#backTo = backTo;
    this.open = true;
    this.#layer.showPopover();
    this.#put();
    this.focusItem(0);
    this.#closing = new AbortController();
    const { signal } = this.#closing;
    if (outer === null) endsWith(of, () => this.close(), signal);
    const sized = (): void => this.#put();
    addEventListener('resize', sized, { signal });
    visualViewport?.addEventListener('resize', sized, { signal });
    addEventListener('keydown', (event) => this.#keyBeside(event), { signal, capture: true });
  }

  #put(): void {
    const anchor = this.#anchor?.();
    if (anchor === undefined) return;
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
    this.#internals.states[trigger === null ? 'add' : 'delete']('free');
    if (trigger === null) return;
    const told = { expanded: String(this.open), haspopup: 'menu' };
    if ('expanded' in trigger) Object.assign(trigger, told);
    else for (const [name, value] of Object.entries(told)) trigger.setAttribute(`aria-${name}`, value);
  }

  /** Before it is gone, and in the same turn: what an entry does then may take the focus. */
  #toggles(event: ToggleEvent): void {
    if (event.newState === 'open' || !this.open) return;
    this.#closeInner();
    this.#ended();
    if (holdsFocus(this)) this.#giveBack();
    this.emit('close', undefined, { bubbles: false });
  }

  #ended(): void {
    this.open = false;
    this.#closing.abort();
    if (shown === this) shown = null;
  }

  /** While the focus is in another frame it stays there: what had it here gets it when the person comes back. */
  #giveBack(): void {
    const backTo = this.#backTo;
    this.#backTo = null;
    const give = (): void => {
      if (backTo?.isConnected === true && (holdsFocus(this) || deepActive() === document.body)) backTo.focus({ preventScroll: true });
    };
    if (document.hasFocus()) give();
    else addEventListener('focus', give, { once: true });
  }

  /** A press beside it closes it and does nothing else. */
  #pressedBeside(event: Event): void {
    if (event.target !== this.#layer) return;
    // After a touch this holds the click back, which would meet what is below; after the button of a mouse, that the focus goes.
    if (event.cancelable) event.preventDefault();
    if (event.type !== 'mousedown') this.close();
  }

  /** The focus went elsewhere: a window opened, or another frame was pressed. Where it is now is known after this event only. */
  #focusLeft(): void {
    setTimeout(() => {
      if (this.open && !holdsFocus(this)) this.close();
    });
  }

  /** Closes by Escape after the focused element in it was removed. */
  #keyBeside(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || holdsFocus(this)) return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
  }

  #triggerKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    this.show();
    if (event.key === 'ArrowUp') this.focusItem(-1);
  }

  /** Handles keys of this menu's entries only: an inner menu handles its own. After a press on a heading no entry has the focus. */
  #key(event: KeyboardEvent): void {
    const { items } = this;
    const from = items.findIndex((item) => item === (event.target as Element).closest('ui-menu-item'));
    if (from < 0 && event.target !== this.#list) return;
    const item = items[from];
    const next = step(event.key, from < 0 && event.key === 'ArrowUp' ? 0 : from, items.length, ['ArrowUp', 'ArrowDown']);
    if (next !== null) items[next]!.focus();
    else if (event.key === 'Escape' || (event.key === 'ArrowLeft' && this.slot === 'submenu')) this.close();
    else if (event.key === 'Tab') this.#closeAll();
    else if (event.key === 'Enter' || event.key === ' ') item?.click();
    else if (event.key === 'ArrowRight' && item?.submenu != null) item.submenu.show();
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
    const beside = (event: Event): void => this.#pressedBeside(event);
    return html`<slot
        name="trigger"
        @click=${() => this.show()}
        @keydown=${(event: KeyboardEvent) => this.#triggerKey(event)}
        @slotchange=${() => this.updated(new Map([['open', false]]))}
      ></slot>
      <div
        class="layer"
        popover="manual"
        @beforetoggle=${(event: ToggleEvent) => this.#toggles(event)}
        @mousedown=${beside}
        @click=${beside}
        @auxclick=${beside}
        @contextmenu=${beside}
        @touchend=${beside}
        @touchcancel=${beside}
        @wheel=${beside}
      >
        <div
          role="menu"
          part="menu"
          tabindex="-1"
          aria-label=${this.label || (this.#triggerWords() ?? nothing)}
          @contextmenu=${(event: Event) => event.preventDefault()}
          @focusout=${() => this.#focusLeft()}
          @keydown=${(event: KeyboardEvent) => this.#key(event)}
          @click=${(event: Event) => this.#clicked(event)}
        >
          <slot></slot>
        </div>
      </div>`;
  }

  #triggerWords(): string | undefined {
    return (this.#trigger ?? (this.slot === 'submenu' ? this.parentElement : null))?.textContent?.trim().split('\n', 1)[0];
  }
}

const menuOf = (item: Element): Element | null => item.closest('ui-menu');

define('ui-menu', UiMenu);
