/**
 * Tabs over their panels: one Tab stop, arrows between the tabs. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ Where not all fit, they
 * scroll, and a button lists them. Tabs that are closed or moved are taken away and put elsewhere by who made them.
 */
import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { deepActive } from './deep-active.ts';
import { startDrag, type DragSteps } from './drag.ts';
import { define, KitElement, kitStyles, step, wordsOf } from './element.ts';
import { glyph } from './glyphs.ts';
import './menu.ts';
import { UiTab, UiTabPanel } from './tab.ts';

/** So much less is free for the tabs while the button that lists them is there. */
const listButtonPx = 44;

class UiTabs extends KitElement implements SvcUiTabs {
  static override properties = {
    label: {},
    value: { reflect: true },
    manual: { type: Boolean },
    movable: { type: Boolean },
    overflows: { state: true },
    told: { state: true },
  };
  label = '';
  /** The name of the panel that is shown. */
  value = '';
  manual = false;
  movable = false;
  protected overflows = false;
  /** For the screen reader: what moved where. */
  protected told = '';
  #observer = new MutationObserver((changes) => {
    // Changes within a panel, or within a tab, do not change the set of tabs.
    if (!changes.some(({ target }) => target === this || target.parentNode === this)) return;
    this.#arrange();
    if (this.overflows) this.requestUpdate();
  });
  #sizes = new ResizeObserver(() => {
    this.#seen = null;
    this.#fit();
  });
  /** The tab with the focus, which goes on in its place when it is moved or taken away, whoever does that. */
  #kept: UiTab | null = null;
  /** True after a drag: the click that ends it shows nothing. */
  #pulled = false;
  /** The tab that was last brought into view. */
  #seen: UiTab | null = null;

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        min-width: 0;
      }
      .bar {
        display: flex;
        align-items: center;
        border-block-end: 1px solid var(--svc-borda);
      }
      [role='tablist'] {
        display: flex;
        min-width: 0;
        overflow: auto hidden;
        overscroll-behavior-x: contain;
        scrollbar-width: thin;
      }
      ui-menu {
        flex: none;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this, { childList: true, attributeFilter: ['panel', 'name', 'disabled', 'closable', 'hidden'], subtree: true });
    this.#sizes.observe(this);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#sizes.disconnect();
  }

  get #tabs(): readonly UiTab[] {
    return [...this.children].filter((each): each is UiTab => each instanceof UiTab && !each.hidden);
  }
  /** Null where there is no tab to choose. */
  get #shown(): UiTab | null {
    const tabs = this.#tabs;
    return tabs.find(({ panel }) => panel === this.value) ?? tabs.find(({ disabled }) => !disabled) ?? null;
  }
  get #list(): HTMLElement | null {
    return this.renderRoot?.querySelector<HTMLElement>('[role=tablist]') ?? null;
  }

  override updated(changed: PropertyValues): void {
    this.#arrange();
    if (changed.has('overflows')) this.#seen = null;
    this.#fit();
  }

  /** The tab that is shown is the one stop of Tab; each knows its panel and each panel its tab. */
  #arrange(): void {
    const shown = this.#shown;
    const panels = [...this.children].filter((each): each is UiTabPanel => each instanceof UiTabPanel);
    for (const tab of this.#tabs) {
      tab.selected = tab === shown;
      tab.tabIndex = tab === shown ? 0 : -1;
      const keys = `${tab.closable ? 'Delete ' : ''}${this.movable ? 'Control+Shift+ArrowLeft Control+Shift+ArrowRight' : ''}`.trim();
      if (keys !== '') tab.setAttribute('aria-keyshortcuts', keys);
      const panel = panels.find(({ name }) => name === tab.panel);
      if (panel === undefined) continue;
      tab.setAttribute('aria-controls', panel.id);
      panel.setAttribute('aria-labelledby', tab.id);
    }
    for (const panel of panels) {
      const hidden = panel.name !== shown?.panel;
      // The observer hears of every writing, also of the same.
      if (panel.hidden !== hidden) panel.hidden = hidden;
    }
    this.#keepFocus(shown);
  }

  /** An element that is taken away or moved in the document loses the focus. */
  #keepFocus(shown: UiTab | null): void {
    const active = deepActive();
    if (this.#kept === null || (active !== null && active !== document.body)) return;
    const next = this.#kept.isConnected ? this.#kept : (shown ?? this.querySelector<HTMLElement>(':scope > [slot=end]'));
    this.#kept = null;
    next?.focus();
  }

  /** Forgets the focused tab; `#arrange` runs before the timer and finds a tab that was moved or removed. */
  #left({ relatedTarget }: FocusEvent): void {
    if (relatedTarget !== null) this.#kept = null;
    else setTimeout(() => deepActive() !== this.#kept && (this.#kept = null));
  }

  /** Scrolls the list alone, not what is around it. */
  #fit(): void {
    const list = this.#list;
    if (list === null) return;
    this.overflows = list.scrollWidth > list.clientWidth + (this.overflows ? listButtonPx : 0);
    const shown = this.#shown;
    if (shown === this.#seen || shown === null || list.clientWidth === 0) return;
    this.#seen = shown;
    const [box, own] = [list.getBoundingClientRect(), shown.getBoundingClientRect()];
    if (own.left < box.left || own.width > box.width) list.scrollLeft += own.left - box.left;
    else if (own.right > box.right) list.scrollLeft += own.right - box.right;
  }

  #choose(tab: UiTab): void {
    if (tab.disabled || tab.panel === this.#shown?.panel) return;
    this.value = tab.panel;
    this.#arrange();
    this.emit('change', { value: this.value });
  }

  #tabOf(event: Event): UiTab | undefined {
    return this.#tabs.find((tab) => event.composedPath().includes(tab));
  }

  #close(tab: UiTab): void {
    if (tab.closable && !tab.disabled) this.emit('close', { value: tab.panel }, { bubbles: false });
  }

  /** The tabs, with that one in another place; nothing where it is there already. */
  #move(tab: UiTab, to: number): void {
    const tabs = this.#tabs;
    if (!tabs.includes(tab) || to < 0 || to >= tabs.length || tabs[to] === tab) return;
    const all = tabs.filter((each) => each !== tab).toSpliced(to, 0, tab);
    const here = this.emit('move', { value: tab.panel, values: all.map(({ panel }) => panel) }, { cancelable: true });
    if (here) this.insertBefore(tab, all[to + 1] ?? all[to - 1]?.nextSibling ?? null);
    this.told = this.word('moved', { tab: wordsOf(tab), n: to + 1, total: all.length });
  }

  #key(event: KeyboardEvent): void {
    const own = this.#tabOf(event);
    if (own === undefined || event.altKey || event.metaKey) return;
    if (event.ctrlKey || event.shiftKey) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by === undefined || !event.ctrlKey || !event.shiftKey || !this.movable) return;
      this.#move(own, this.#tabs.indexOf(own) + by);
    } else if (event.key === 'Delete' && own.closable) {
      this.#close(own);
    } else if (!this.#go(event.key, own)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #go(key: string, own: UiTab): boolean {
    const tabs = this.#tabs.filter(({ disabled }) => !disabled);
    const next = tabs[step(key, tabs.indexOf(own), tabs.length, ['ArrowLeft', 'ArrowRight']) ?? -1];
    if (next === undefined && key !== 'Enter' && key !== ' ') return false;
    if (next === undefined || !this.manual) this.#choose(next ?? own);
    next?.focus();
    return true;
  }

  #pressed(event: MouseEvent): void {
    const tab = this.#tabOf(event);
    const pulled = this.#pulled;
    this.#pulled = false;
    if (tab === undefined || pulled) return;
    if (event.button === 1 || onCross(event)) this.#close(tab);
    else this.#choose(tab);
  }

  #down(event: PointerEvent): void {
    const tab = this.#tabOf(event);
    this.#pulled = false;
    if (tab !== undefined && this.movable && !onCross(event)) startDrag(event, tab, () => this.#steps(tab));
  }

  /** An element that moves in the document loses the pointer: while it is dragged, only its place on the screen changes. */
  #steps(tab: UiTab): DragSteps {
    this.#pulled = true;
    const others = this.#tabs.filter((each) => each !== tab);
    let to = this.#tabs.indexOf(tab);
    tab.toggleAttribute('data-dragged', true);
    return {
      move: (_dx, _dy, x) => {
        to = others.filter((each) => {
          const { left, width } = each.getBoundingClientRect();
          return left + width / 2 < x;
        }).length;
        for (const [at, each] of others.toSpliced(to, 0, tab).entries()) each.style.order = String(at);
      },
      end: (kept) => {
        tab.toggleAttribute('data-dragged', false);
        for (const each of [tab, ...others]) each.style.order = '';
        if (kept) this.#move(tab, to);
      },
    };
  }

  override render(): TemplateResult {
    return html`<div class="bar" part="bar">
        <div
          role="tablist"
          part="list"
          aria-label=${this.label || nothing}
          @click=${(event: MouseEvent) => this.#pressed(event)}
          @auxclick=${(event: MouseEvent) => event.button === 1 && this.#pressed(event)}
          @pointerdown=${(event: PointerEvent) => this.#down(event)}
          @keydown=${(event: KeyboardEvent) => this.#key(event)}
          @focusin=${(event: FocusEvent) => (this.#kept = this.#tabOf(event) ?? null)}
          @focusout=${(event: FocusEvent) => this.#left(event)}
        >
          <slot name="tab" @slotchange=${() => (this.#arrange(), this.#fit())}></slot>
        </div>
        ${this.overflows ? this.#all() : nothing}<slot name="end"></slot>
      </div>
      <p class="hidden" role="status">${this.told}</p>
      <slot @slotchange=${() => this.#arrange()}></slot>`;
  }

  #all(): TemplateResult {
    const shown = this.#shown;
    return html`<ui-menu label=${this.word('allTabs')}>
      <button slot="trigger" class="icon" type="button" aria-label=${this.word('allTabs')} title=${this.word('allTabs')}>
        ${glyph('down', 18)}
      </button>
      ${this.#tabs.map(
        (tab) =>
          html`<ui-menu-item
            type="radio"
            .checked=${tab === shown}
            ?disabled=${tab.disabled}
            @choose=${(event: Event) => (event.stopPropagation(), this.#choose(tab))}
            >${wordsOf(tab)}</ui-menu-item
          >`,
      )}
    </ui-menu>`;
  }
}

const onCross = (event: Event): boolean => event.composedPath().some((each) => each instanceof Element && each.className === 'cross');

define('ui-tabs', UiTabs);
