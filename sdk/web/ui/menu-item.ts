/** Contents of a menu: its entries and their groups. */
import { css, html, nothing, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles, roleOf, wordsOf } from './element.ts';
import { glyph } from './glyphs.ts';

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

  get submenu(): SvcUiMenu | null {
    return this.querySelector<SvcUiMenu>(':scope > ui-menu');
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

define('ui-menu-group', UiMenuGroup);
define('ui-menu-item', UiMenuItem);
