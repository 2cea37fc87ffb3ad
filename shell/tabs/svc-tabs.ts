/**
 * The tabs of a window, in its title bar: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ with manual activation, since the page shows what was
 * selected. Arrows, Home and End go; Enter and Space select; Delete asks to close; Ctrl+Shift with an arrow moves, as a drag does. The cross of
 * a tab is for the pointer only: Delete and the menu of a tab do the same. Where not all fit, they scroll, and a button lists them.
 */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Tab } from '../../schema/bridge/tab-verbs.ts';
import type { Desk } from '../desktop/desk.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { openMenu } from '../ui/menu.ts';
import { startDrag, type DragSteps } from '../windows/drag.ts';
import { askForNew, askToClose, moveTab, reorderTabs, selectTab, tabChoices, tabCommands } from './tab-actions.ts';
import { tabStyles } from './tab-styles.ts';
import type { WindowTabs } from './tabs.ts';

export class SvcTabs extends LitElement {
  static override properties = {
    desk: { attribute: false },
    window: { attribute: false },
    now: { attribute: false },
    label: { attribute: false },
    dragged: { state: true },
    overflows: { state: true },
  };
  declare desk: Desk;
  /** Id of the window. */
  declare window: string;
  declare now: WindowTabs;
  /** What the window is called. */
  declare label: string;
  /** While a tab is dragged: it, and all in the order that they would have. */
  declare dragged: { readonly id: string; readonly ids: readonly string[] } | null;
  declare overflows: boolean;
  #watch = new Watch(this, () => [language]);
  #sizes = new ResizeObserver(() => this.#fit());
  /** The tab with the focus before this drawing. */
  #focused: string | null = null;
  /** Whose click ends a drag and selects nothing. */
  #pulled = false;
  #shown: string | null = null;

  constructor() {
    super();
    this.dragged = null;
    this.overflows = false;
  }

  static override styles = [base, tabStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#sizes.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes.disconnect();
  }

  override willUpdate(): void {
    this.#focused = this.hasUpdated ? this.#focusedId() : null;
  }

  override updated(changed: PropertyValues<this>): void {
    this.#arrange();
    if (this.#shown !== this.now.active || changed.has('overflows')) this.#fit();
    else this.#measure();
    this.#shown = this.now.active;
    const active = this.#tab(this.now.active);
    if (this.#focused === null || this.#focusedId() === this.#focused) return;
    // Moving an element takes its focus; a tab that is gone leaves it to the active one, or to what is left.
    const next = this.#tab(this.#focused) ?? active ?? this.renderRoot.querySelector<HTMLElement>('.new');
    next?.focus();
  }

  #focusedId(): string | null {
    const active = this.shadowRoot?.activeElement;
    return active instanceof HTMLElement && active.role === 'tab' ? (active.dataset['id'] ?? null) : null;
  }

  #tab(id: string | null): HTMLElement | null {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('[role=tab]')].find((tab) => tab.dataset['id'] === id) ?? null;
  }

  /** The active one is to be seen. */
  #fit(): void {
    this.#measure();
    this.#tab(this.now.active)?.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #measure(): void {
    const strip = this.renderRoot.querySelector('.strip');
    this.overflows = strip !== null && strip.scrollWidth > strip.clientWidth + (this.overflows ? 36 : 0);
  }

  /** An element that moves in the document loses the pointer: while it is dragged, only its place on the screen changes. */
  #arrange(): void {
    for (const { id } of this.now.tabs) {
      const box = this.#tab(id)?.parentElement;
      if (box != null) box.style.order = String(this.dragged?.ids.indexOf(id) ?? '');
    }
  }

  #key(event: KeyboardEvent): void {
    const { tabs } = this.now;
    const at = tabs.findIndex(({ id }) => id === this.#focusedId());
    const tab = tabs[at];
    if (tab === undefined || event.altKey || event.metaKey) return;
    const step = ({ ArrowRight: 1, ArrowLeft: -1 } as const)[event.key as 'ArrowRight' | 'ArrowLeft'];
    if (event.ctrlKey && event.shiftKey && step !== undefined) moveTab(this.desk, this.window, tab.id, step);
    else if (event.ctrlKey || event.shiftKey) return;
    else if (event.key === 'Delete') askToClose(this.desk, this.window, tab);
    else {
      const to = step !== undefined ? (at + step + tabs.length) % tabs.length : { Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      this.#tab(tabs[to]?.id ?? null)?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #down(event: PointerEvent, tab: Tab): void {
    // The title bar is dragged beside the tabs only.
    event.stopPropagation();
    this.#pulled = false;
    startDrag(event, event.currentTarget as HTMLElement, () => this.#steps(tab.id));
  }

  #steps(id: string): DragSteps {
    this.#pulled = true;
    this.desk.shielded.set(true);
    this.dragged = { id, ids: this.now.tabs.map((tab) => tab.id) };
    return {
      move: (_dx, _dy, x) => {
        const others = (this.dragged?.ids ?? []).filter((other) => other !== id);
        const before = others.filter((other) => {
          const box = this.#tab(other)?.parentElement?.getBoundingClientRect();
          return box !== undefined && box.left + box.width / 2 < x;
        });
        this.dragged = { id, ids: others.toSpliced(before.length, 0, id) };
      },
      end: (kept) => {
        const ids = this.dragged?.ids ?? [];
        this.dragged = null;
        this.desk.shielded.set(false);
        if (kept) reorderTabs(this.desk, this.window, ids);
      },
    };
  }

  #select(tab: Tab): void {
    if (!this.#pulled) selectTab(this.desk, this.window, tab.id);
    this.#pulled = false;
  }

  #menu(event: MouseEvent, tab: Tab): void {
    event.preventDefault();
    event.stopPropagation();
    const { left, bottom } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    openMenu(text('tabs.menu', { titulo: tab.titulo }), [tabCommands(this.desk, this.window, this.now, tab)], { x: left, y: bottom + 2 });
  }

  #list(event: MouseEvent): void {
    const { left, bottom } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    openMenu(text('tabs.all'), [tabChoices(this.desk, this.window, this.now)], { x: left, y: bottom + 2 });
  }

  override render(): TemplateResult {
    const { tabs } = this.now;
    return html`
      ${
        tabs.length === 0
          ? nothing
          : html`<div
              class="strip"
              role="tablist"
              aria-label=${text('tabs.of', { titulo: this.label })}
              @keydown=${(event: KeyboardEvent) => this.#key(event)}
            >
              ${repeat(
                tabs,
                ({ id }) => id,
                (tab) => this.#one(tab),
              )}
            </div>`
      }
      ${
        this.overflows
          ? html`<button
              class="extra all"
              type="button"
              aria-haspopup="menu"
              title=${text('tabs.all')}
              aria-label=${text('tabs.all')}
              @pointerdown=${(event: Event) => event.stopPropagation()}
              @click=${(event: MouseEvent) => this.#list(event)}
            >
              ${glyph('down', 16)}
            </button>`
          : nothing
      }
      ${
        this.now.canAdd
          ? html`<button
              class="extra new"
              type="button"
              title=${text('tabs.new')}
              aria-label=${text('tabs.new')}
              @pointerdown=${(event: Event) => event.stopPropagation()}
              @click=${() => askForNew(this.desk, this.window)}
            >
              ${glyph('plus', 16)}
            </button>`
          : nothing
      }
    `;
  }

  #one(tab: Tab): TemplateResult {
    const active = tab.id === this.now.active;
    return html`<div
      class="tab ${active ? 'active' : ''} ${this.dragged?.id === tab.id ? 'dragged' : ''}"
      role="presentation"
      @dblclick=${(event: Event) => event.stopPropagation()}
      @contextmenu=${(event: MouseEvent) => this.#menu(event, tab)}
      @auxclick=${(event: MouseEvent) => event.button === 1 && askToClose(this.desk, this.window, tab)}
    >
      <button
        type="button"
        role="tab"
        data-id=${tab.id}
        title=${tab.titulo}
        tabindex=${active ? 0 : -1}
        aria-selected=${active}
        aria-keyshortcuts="${tab.fechavel === false ? '' : 'Delete '}Control+Shift+ArrowLeft Control+Shift+ArrowRight"
        @pointerdown=${(event: PointerEvent) => this.#down(event, tab)}
        @click=${() => this.#select(tab)}
      >
        ${tab.titulo}
      </button>
      ${
        tab.fechavel === false
          ? nothing
          : html`<button
              class="cross"
              type="button"
              tabindex="-1"
              aria-hidden="true"
              title=${text('tabs.close', { titulo: tab.titulo })}
              @pointerdown=${(event: Event) => event.stopPropagation()}
              @click=${() => askToClose(this.desk, this.window, tab)}
            >
              ${glyph('close', 14)}
            </button>`
      }
    </div>`;
  }
}

customElements.define('svc-tabs', SvcTabs);
