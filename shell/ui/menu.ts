/**
 * A menu as the ARIA practices describe it: arrows, Home, End, first letters, Escape; the focus goes back to where it was. One menu is
 * open at a time. Source: https://www.w3.org/WAI/ARIA/apg/patterns/menubar/
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { base } from './base.ts';
import { glyph, type Glyph } from './glyphs.ts';
import { typeAhead } from './type-ahead.ts';

export interface MenuItem {
  readonly label: string;
  readonly glyph?: Glyph;
  readonly disabled?: boolean;
  /** A radio choice: undefined for a plain command. */
  readonly checked?: boolean;
  readonly keys?: string;
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

export class SvcMenu extends LitElement {
  static override properties = { label: {}, groups: { attribute: false }, place: { attribute: false } };
  declare label: string;
  declare groups: readonly MenuGroup[];
  declare place: MenuPlace;
  #backTo: HTMLElement | null = null;
  #typed = typeAhead();

  constructor() {
    super();
    this.label = '';
    this.groups = [];
    this.place = { x: 0, y: 0 };
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
        max-height: calc(100dvh - 16px);
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
      kbd {
        color: var(--muted);
        font: inherit;
        font-size: 12px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#backTo ??= deepActive();
  }

  get #buttons(): readonly HTMLButtonElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLButtonElement>('button[role]')];
  }

  override firstUpdated(): void {
    const menu = this.renderRoot.querySelector<HTMLElement>('.menu');
    if (menu === null) return;
    const { width, height } = menu.getBoundingClientRect();
    const top = this.place.up === true ? this.place.y - height : this.place.y;
    menu.style.left = `${Math.max(8, Math.min(this.place.x, innerWidth - width - 8))}px`;
    menu.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
    (this.#buttons.find((button) => button.ariaDisabled !== 'true') ?? this.#buttons[0])?.focus();
  }

  close(refocus = true): void {
    this.remove();
    if (refocus) this.#backTo?.focus();
  }

  #choose(item: MenuItem): void {
    if (item.disabled === true) return;
    this.close();
    item.run();
  }

  #key(event: KeyboardEvent): void {
    const buttons = this.#buttons;
    const at = buttons.findIndex((button) => button.matches(':focus'));
    const steps: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 };
    const next = steps[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else if (next !== undefined) buttons[(next + buttons.length) % buttons.length]?.focus();
    else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const labels = buttons.map((button) => button.querySelector('.label')?.textContent ?? '');
      buttons[this.#typed(event.key, labels, at) ?? at]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  override render(): TemplateResult {
    return html`<div>
      <div class="menu" role="menu" aria-label=${this.label} @keydown=${(event: KeyboardEvent) => this.#key(event)}>
        ${this.groups.map(
          (group) =>
            html`<div class="group" role="group" aria-label=${group.heading ?? nothing}>
              ${group.heading === undefined ? nothing : html`<div class="heading" aria-hidden="true">${group.heading}</div>`}
              ${group.items.map((item) => this.#item(item))}
            </div>`,
        )}
      </div>
    </div>`;
  }

  #item(item: MenuItem): TemplateResult {
    const radio = item.checked !== undefined;
    const mark = item.checked === undefined ? item.glyph : item.checked ? 'check' : undefined;
    return html`<button
      type="button"
      tabindex="-1"
      role=${radio ? 'menuitemradio' : 'menuitem'}
      aria-checked=${radio ? String(item.checked) : nothing}
      aria-disabled=${item.disabled === true ? 'true' : nothing}
      @click=${() => this.#choose(item)}
    >
      <span class="mark">${mark === undefined ? nothing : glyph(mark)}</span>
      <span class="label">${item.label}</span>
      ${item.keys === undefined ? nothing : html`<kbd>${item.keys}</kbd>`}
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

/** The focused element, through shadow roots. */
export function deepActive(): HTMLElement | null {
  let active: Element | null = document.activeElement;
  while (active?.shadowRoot?.activeElement != null) active = active.shadowRoot.activeElement;
  return active instanceof HTMLElement ? active : null;
}
