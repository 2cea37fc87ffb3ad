/**
 * The windows by their last use, while Alt is held: Q goes on, Shift+Q back, also at the first press, as do the arrows; releasing Alt,
 * Enter or a click brings the chosen one to the front, Escape leaves everything as it is. The owner of the keyboard reports the release of
 * Alt: the shell (keys.ts) or the page of an app.
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/dialog.ts';
import { letterOf } from '../../schema/bridge/key-letter.ts';
import { text } from '../i18n/i18n.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { leadOn } from '../ui/lead-on.ts';
import type { WindowState } from '../windows/manager.ts';
import type { Desk } from './desk.ts';

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Tab: 1 };

export class SvcSwitcher extends LitElement {
  static override properties = { desk: { attribute: false }, over: { attribute: false }, at: { state: true } };
  declare desk: Desk;
  /** Alt was let go. */
  declare over: boolean;
  declare at: number;
  #windows: readonly WindowState[] = [];

  static override styles = [
    base,
    css`
      ui-dialog {
        --ui-dialog-width: 420px;
      }
      ui-dialog::part(body) {
        padding: 8px;
      }
      [role='option'] {
        display: flex;
        align-items: center;
        gap: 12px;
        min-height: 44px;
        padding: 4px 12px;
        border-radius: 8px;
        cursor: default;
      }
      [aria-selected='true'] {
        background: var(--selected);
        box-shadow: inset 0 0 0 2px var(--focus);
      }
      .name {
        min-width: 0;
        overflow: clip;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      /* The chosen one shows it. */
      ul:focus-visible {
        outline: none;
      }
    `,
  ];

  constructor() {
    super();
    this.at = 0;
    this.over = false;
  }

  override willUpdate(): void {
    if (this.#windows.length > 0) return;
    // Minimised ones come last: they were put away.
    this.#windows = this.desk.windows.windows.get().toSorted((a, b) => Number(a.minimised) - Number(b.minimised) || b.z - a.z);
    const last = this.#windows.length - 1;
    const next = this.desk.windows.top() === null ? 0 : Math.min(1, last);
    this.at = this.desk.switching.get()?.from === -1 ? last : next;
  }

  override updated(): void {
    this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    if (this.over) this.#end(this.at);
  }

  #end(index: number): void {
    const chosen = this.#windows[index];
    leadOn(this);
    this.desk.switching.set(null);
    if (chosen !== undefined && this.desk.windows.find(chosen.id) !== undefined) this.desk.activate(chosen.id);
  }

  #key(event: KeyboardEvent): void {
    const step = letterOf(event) === 'q' ? 1 : steps[event.key];
    if (step !== undefined) this.at = (this.at + (event.shiftKey ? -step : step) + this.#windows.length) % this.#windows.length;
    else if (event.key === 'Enter' || event.key === ' ') this.#end(this.at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  override render(): TemplateResult {
    return html`<ui-dialog
      open
      hide-label
      light-dismiss
      label=${text('switcher.title')}
      @keydown=${(event: KeyboardEvent) => this.#key(event)}
      @close=${() => this.desk.switching.set(null)}
    >
      <ul role="listbox" tabindex="0" aria-label=${text('switcher.title')} aria-activedescendant="w${this.at}">
        ${this.#windows.map((window, index) => this.#option(window, index))}
      </ul>
    </ui-dialog>`;
  }

  #option(window: WindowState, index: number): TemplateResult {
    const { desk } = this;
    return html`<li role="option" id="w${index}" aria-selected=${String(index === this.at)} @click=${() => this.#end(index)}>
      <svc-app-icon
        .app=${desk.apps.find(window.app)}
        .icon=${window.options.icon}
        .builtin=${this.desk.glyphOf(window)}
        .size=${24}
      ></svc-app-icon>
      <span class="name">${desk.title(window)}</span>
      ${window.minimised ? html`<span class="sr-only">${text('switcher.minimised')}</span>` : nothing}
    </li>`;
  }
}

customElements.define('svc-switcher', SvcSwitcher);
