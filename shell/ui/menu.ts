/**
 * A menu as the ARIA practices describe it: arrows, Home, End, first letters, Escape; the focus goes back to where it was. One menu is
 * open at a time. Source: https://www.w3.org/WAI/ARIA/apg/patterns/menubar/
 */
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { AppProjection } from '../../schema/wire/http.ts';
import './app-icon.ts';
import { base } from './base.ts';
import { deepActive } from './deep-active.ts';
import { glyph, type Glyph } from './glyphs.ts';
import { typeAhead } from '../../sdk/web/ui/type-ahead.ts';
import { screenBottom } from './screen.ts';

export interface MenuItem {
  readonly label: string;
  readonly glyph?: Glyph;
  readonly disabled?: boolean;
  /** A radio choice: undefined for a plain command. */
  readonly checked?: boolean;
  readonly keys?: string;
  /** Whose entry it is, in smaller letters. */
  readonly detail?: string;
  /** Its picture. */
  readonly app?: Pick<AppProjection, 'id' | 'name' | 'icone'>;
  /** A menu of its own opens beside it; `run` is not called. */
  readonly items?: readonly MenuItem[];
  run(): void;
}
/** Groups are drawn with a line between them; a group may have a heading. */
export interface MenuGroup {
  readonly heading?: string;
  readonly items: readonly MenuItem[];
}
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
  /** Whether the point is the bottom of the menu (it opens upwards). */
  readonly up?: boolean;
}

/** Between a menu and the edge of the screen. */
const edgePx = 8;

function put(menu: HTMLElement, x: number, y: number): void {
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(edgePx, Math.min(x, innerWidth - width - edgePx))}px`;
  menu.style.top = `${Math.max(edgePx, Math.min(y, screenBottom() - height - edgePx))}px`;
}

export class SvcMenu extends LitElement {
  static override properties = { label: {}, groups: { attribute: false }, place: { attribute: false }, inner: { state: true } };
  declare label: string;
  declare groups: readonly MenuGroup[];
  declare place: MenuPlace;
  /** The entry whose own menu is open. */
  declare inner: MenuItem | null;
  #backTo: HTMLElement | null = null;
  #typed = typeAhead();

  constructor() {
    super();
    this.label = '';
    this.groups = [];
    this.place = { x: 0, y: 0 };
    this.inner = null;
  }

  static override styles = [
    base,
    css`
      :host {
        position: fixed;
        inset: 0;
        z-index: 30000;
      }
      .menu {
        position: absolute;
        min-width: 220px;
        max-width: calc(100vw - 16px);
        max-height: calc(var(--screen) - 16px);
        overflow: auto;
        padding: 6px;
        border: 1px solid var(--line);
        border-radius: 12px;
        background: var(--raised);
        box-shadow: var(--shadow-high);
      }
      .group + .group {
        margin-top: 6px;
        padding-top: 6px;
        border-top: 1px solid var(--line);
      }
      .heading {
        padding: 6px 10px 4px;
        color: var(--muted);
        font-size: 12px;
        font-weight: 600;
      }
      button {
        display: flex;
        align-items: center;
        gap: 10px;
        width: 100%;
        min-height: var(--control);
        padding: 4px 10px;
        border: 0;
        border-radius: 8px;
        background: transparent;
        text-align: start;
      }
      button:hover:not([aria-disabled='true']),
      button:focus-visible {
        background: var(--hover);
        outline-offset: -2px;
      }
      button[aria-disabled='true'] {
        color: var(--muted);
        cursor: default;
      }
      .mark {
        display: grid;
        width: 20px;
        color: var(--muted);
      }
      .label {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .label small {
        display: block;
        color: var(--muted);
        font-size: 12px;
        line-height: 1.2;
      }
      .more {
        display: grid;
        color: var(--muted);
      }
      kbd {
        color: var(--muted);
        font: inherit;
        font-size: 12px;
      }
      /* Fingers have no such keys. */
      @media (pointer: coarse) {
        kbd {
          display: none;
        }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#backTo ??= deepActive();
  }

  /** Of the menu itself, or of the one beside it. */
  #buttons(level: 0 | 1): readonly HTMLButtonElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLButtonElement>(`.menu[data-level='${level}'] button[role]`)];
  }

  #menu(level: 0 | 1): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>(`.menu[data-level='${level}']`);
  }

  override firstUpdated(): void {
    const menu = this.#menu(0);
    if (menu === null) return;
    const { height } = menu.getBoundingClientRect();
    put(menu, this.place.x, this.place.up === true ? this.place.y - height : this.place.y);
    const buttons = this.#buttons(0);
    (buttons.find((button) => button.ariaDisabled !== 'true') ?? buttons[0])?.focus();
  }

  override updated(changed: PropertyValues<this>): void {
    const menu = this.#menu(1);
    const parent = this.#menu(0)?.querySelector('[aria-expanded=true]');
    if (!changed.has('inner') || menu === null || parent == null) return;
    const box = parent.getBoundingClientRect();
    const { width } = menu.getBoundingClientRect();
    // Beside its entry, where there is room; on a narrow screen over it.
    const right = box.right + 2;
    put(menu, right + width + edgePx <= innerWidth ? right : box.left - width - 2, box.top - 6);
    this.#buttons(1)[0]?.focus();
  }

  close(refocus = true): void {
    this.remove();
    if (refocus) this.#backTo?.focus();
  }

  #closeInner(): void {
    const parent = this.#menu(0)?.querySelector<HTMLElement>('[aria-expanded=true]');
    this.inner = null;
    parent?.focus();
  }

  #choose(item: MenuItem): void {
    if (item.disabled === true) return;
    if (item.items !== undefined) {
      this.inner = item;
      return;
    }
    this.close();
    item.run();
  }

  #key(event: KeyboardEvent, level: 0 | 1): void {
    const buttons = this.#buttons(level);
    const at = buttons.findIndex((button) => button.matches(':focus'));
    const steps: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 };
    const next = steps[event.key];
    if (level === 1 && (event.key === 'Escape' || event.key === 'ArrowLeft')) this.#closeInner();
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else if (event.key === 'ArrowRight' && buttons[at]?.ariaHasPopup === 'menu') buttons[at].click();
    else if (next !== undefined) buttons[(next + buttons.length) % buttons.length]?.focus();
    else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const labels = buttons.map((button) => button.querySelector('.label')?.textContent ?? '');
      buttons[this.#typed(event.key, labels, at) ?? at]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  override render(): TemplateResult {
    const { inner } = this;
    return html`<div>
      ${this.#level(0, this.label, this.groups)}
      ${inner?.items === undefined ? nothing : this.#level(1, inner.label, [{ items: inner.items }])}
    </div>`;
  }

  #level(level: 0 | 1, label: string, groups: readonly MenuGroup[]): TemplateResult {
    return html`<div
      class="menu"
      role="menu"
      data-level=${level}
      aria-label=${label}
      @keydown=${(event: KeyboardEvent) => this.#key(event, level)}
    >
      ${groups.map(
        (group) =>
          html`<div class="group" role="group" aria-label=${group.heading ?? nothing}>
            ${group.heading === undefined ? nothing : html`<div class="heading" aria-hidden="true">${group.heading}</div>`}
            ${group.items.map((item) => this.#item(item))}
          </div>`,
      )}
    </div>`;
  }

  #item(item: MenuItem): TemplateResult {
    const radio = item.checked !== undefined;
    const opens = item.items !== undefined;
    const mark = item.checked === undefined ? item.glyph : item.checked ? 'check' : undefined;
    const picture =
      item.app === undefined
        ? mark === undefined
          ? nothing
          : glyph(mark)
        : html`<svc-app-icon .app=${item.app} .size=${20}></svc-app-icon>`;
    return html`<button
      type="button"
      tabindex="-1"
      role=${radio ? 'menuitemradio' : 'menuitem'}
      aria-checked=${radio ? String(item.checked) : nothing}
      aria-haspopup=${opens ? 'menu' : nothing}
      aria-expanded=${opens ? String(this.inner === item) : nothing}
      aria-disabled=${item.disabled === true ? 'true' : nothing}
      @click=${() => this.#choose(item)}
    >
      <span class="mark">${picture}</span>
      <span class="label">${item.label}${item.detail === undefined ? nothing : html`<small>${item.detail}</small>`}</span>
      ${item.keys === undefined ? nothing : html`<kbd>${item.keys}</kbd>`}
      ${opens ? html`<span class="more">${glyph('forward', 16)}</span>` : nothing}
    </button>`;
  }
}

customElements.define('svc-menu', SvcMenu);

let open: SvcMenu | null = null;

export function openMenu(label: string, groups: readonly MenuGroup[], place: MenuPlace): void {
  open?.close(false);
  const menu = new SvcMenu();
  menu.label = label;
  menu.groups = groups.filter((group) => group.items.length > 0);
  menu.place = place;
  // A press beside the menu closes it and does nothing else.
  menu.addEventListener('pointerdown', (event) => {
    if (!event.composedPath().some((part) => part instanceof HTMLElement && part.getAttribute('role') === 'menu')) menu.close();
  });
  menu.addEventListener('contextmenu', (event) => event.preventDefault());
  document.body.append(menu);
  open = menu;
}

export function closeMenu(): void {
  if (open?.isConnected === true) open.close();
}

/** The key of menus, and Shift+F10, which every keyboard has. */
export const isMenuKey = ({ key, shiftKey }: KeyboardEvent): boolean => key === 'ContextMenu' || (key === 'F10' && shiftKey);
