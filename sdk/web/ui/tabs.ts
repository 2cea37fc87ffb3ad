/** Tabs over their panels: one Tab stop, arrows between the tabs. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
import { css, html, nothing, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles, roleOf, step } from './element.ts';

let ids = 0;

export class UiTab extends KitElement implements SvcUiTab {
  static override properties = {
    panel: { reflect: true },
    disabled: { type: Boolean, reflect: true },
    selected: { type: Boolean, reflect: true },
  };
  panel = '';
  disabled = false;
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
        min-height: var(--svc-controle);
        padding: 0 calc(3 * var(--svc-passo));
        border-block-end: 3px solid transparent;
        color: var(--svc-texto-fraco);
        cursor: pointer;
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

  override render(): TemplateResult {
    return html`<slot></slot>`;
  }
}

export class UiTabPanel extends KitElement implements SvcUiTabPanel {
  static override properties = { name: { reflect: true } };
  name = '';
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
    this.tabIndex = 0;
    roleOf(this, 'tabpanel');
  }

  override render(): TemplateResult {
    return html`<slot></slot>`;
  }
}

class UiTabs extends KitElement implements SvcUiTabs {
  static override properties = { label: {}, value: { reflect: true }, manual: { type: Boolean } };
  label = '';
  /** The name of the panel that is shown. */
  value = '';
  manual = false;
  #observer = new MutationObserver(() => this.#arrange());

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        min-width: 0;
      }
      [role='tablist'] {
        display: flex;
        border-block-end: 1px solid var(--svc-borda);
        overflow: auto hidden;
        scrollbar-width: thin;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this, { childList: true, attributeFilter: ['panel', 'disabled', 'hidden'], subtree: true });
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  get #tabs(): readonly UiTab[] {
    return [...this.children].filter((each): each is UiTab => each instanceof UiTab && !each.hidden);
  }
  /** Null where there is no tab to choose. */
  get #shown(): UiTab | null {
    const tabs = this.#tabs;
    return tabs.find(({ panel }) => panel === this.value) ?? tabs.find(({ disabled }) => !disabled) ?? null;
  }

  override updated(): void {
    this.#arrange();
  }

  /** The tab that is shown is the one stop of Tab; each knows its panel and each panel its tab. */
  #arrange(): void {
    const shown = this.#shown;
    const panels = [...this.children].filter((each): each is UiTabPanel => each instanceof UiTabPanel);
    for (const tab of this.#tabs) {
      tab.selected = tab === shown;
      tab.tabIndex = tab === shown ? 0 : -1;
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

  #key(event: KeyboardEvent): void {
    const tabs = this.#tabs.filter(({ disabled }) => !disabled);
    const own = this.#tabOf(event);
    if (own === undefined) return;
    const next = tabs[step(event.key, tabs.indexOf(own), tabs.length, ['ArrowLeft', 'ArrowRight']) ?? -1];
    if (next !== undefined) {
      if (!this.manual) this.#choose(next);
      next.focus();
    } else if (event.key === 'Enter' || event.key === ' ') this.#choose(own);
    else return;
    event.preventDefault();
  }

  #pressed(event: Event): void {
    const tab = this.#tabOf(event);
    if (tab !== undefined) this.#choose(tab);
  }

  override render(): TemplateResult {
    return html`<div
        role="tablist"
        part="list"
        aria-label=${this.label || nothing}
        @click=${(event: Event) => this.#pressed(event)}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
      >
        <slot name="tab" @slotchange=${() => this.#arrange()}></slot>
      </div>
      <slot @slotchange=${() => this.#arrange()}></slot>`;
  }
}

define('ui-tab', UiTab);
define('ui-tab-panel', UiTabPanel);
define('ui-tabs', UiTabs);
