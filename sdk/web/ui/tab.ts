/** A tab, and the panel that it shows: what is in `ui-tabs`. */
import { css, html, nothing, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles, roleOf } from './element.ts';
import { glyph } from './glyphs.ts';

let ids = 0;

export class UiTab extends KitElement implements SvcUiTab {
  static override properties = {
    panel: { reflect: true },
    disabled: { type: Boolean, reflect: true },
    closable: { type: Boolean, reflect: true },
    selected: { type: Boolean, reflect: true },
  };
  panel = '';
  disabled = false;
  closable = false;
  /** Set by the tabs around it. */
  selected = false;

  static override styles = [
    kitStyles,
    css`
      :host {
        display: inline-flex;
        flex: none;
        align-items: center;
        gap: calc(2 * var(--svc-passo));
        box-sizing: border-box;
        min-height: var(--svc-controle);
        padding: 0 calc(3 * var(--svc-passo));
        border-block-end: 3px solid transparent;
        color: var(--svc-texto-fraco);
        cursor: pointer;
        user-select: none;
        white-space: nowrap;
      }
      :host(:hover) {
        color: var(--svc-texto);
      }
      :host(:focus-visible) {
        outline-offset: -2px;
      }
      :host([selected]) {
        border-color: var(--svc-acento);
        color: var(--svc-texto);
        font-weight: 600;
      }
      :host([disabled]) {
        opacity: 0.55;
        cursor: not-allowed;
      }
      :host([data-dragged]) {
        background: var(--svc-selecao);
      }
      .words {
        flex: 1;
        min-width: 0;
        overflow: clip;
        text-overflow: ellipsis;
        unicode-bidi: isolate;
      }
      .cross {
        display: grid;
        flex: none;
        place-items: center;
        width: 24px;
        height: 24px;
        margin-inline-end: calc(-1.5 * var(--svc-passo));
        border-radius: var(--svc-raio);
      }
      .cross:hover {
        background: var(--svc-borda-campo);
        color: var(--svc-texto);
      }
      @media (pointer: coarse) {
        .cross {
          width: 44px;
          height: 44px;
        }
      }
      @media (forced-colors: active) {
        :host {
          border-color: Canvas;
        }
        :host([selected]) {
          border-color: Highlight;
        }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.slot = 'tab';
    this.id ||= `ui-tab-${(ids += 1)}`;
    roleOf(this, 'tab');
  }

  override updated(): void {
    this.ariaDisabled = this.disabled ? 'true' : null;
    this.ariaSelected = String(this.selected);
  }

  /** The cross is for the pointer only: what is in a tab is nothing of its own to a screen reader, and Delete does the same. */
  override render(): TemplateResult {
    return html`<slot name="start"></slot><span class="words"><slot></slot></span
      ><slot name="end"></slot
      >${this.closable ? html`<span class="cross" part="cross" aria-hidden="true">${glyph('close', 14)}</span>` : nothing}`;
  }
}

export class UiTabPanel extends KitElement implements SvcUiTabPanel {
  static override properties = { name: { reflect: true } };
  name = '';
  /** False with `tabindex="-1"`: what is in it takes the focus. */
  #isStop = true;
  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        padding-block: calc(3 * var(--svc-passo));
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.id ||= `ui-panel-${(ids += 1)}`;
    // With -1 Chromium skips all that is slotted into it as well: such a panel has none.
    if (this.getAttribute('tabindex') === '-1') this.#isStop = false;
    if (!this.#isStop) this.removeAttribute('tabindex');
    else if (!this.hasAttribute('tabindex')) this.tabIndex = 0;
    roleOf(this, 'tabpanel');
  }

  override render(): TemplateResult {
    return html`<slot></slot>`;
  }
}

define('ui-tab', UiTab);
define('ui-tab-panel', UiTabPanel);
