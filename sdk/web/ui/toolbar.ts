/** Buttons and the like in a row: one Tab stop, arrows between them. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/ */
import { css, html, type TemplateResult } from 'lit';
import { define, holdsFocus, KitElement, kitStyles, roleOf, step } from './element.ts';

const stops = 'ui-button, button, a[href], input, select, [tabindex]';
/** Arrow keys are theirs: they stay stops of Tab, and arrows are left to them. */
const typed = 'input:not([type=checkbox], [type=radio], [type=button]), select, textarea, ui-field, ui-select';

class UiToolbar extends KitElement implements SvcUiToolbar {
  static override properties = { label: {}, vertical: { type: Boolean, reflect: true } };
  label = '';
  vertical = false;
  #last: Element | null = null;
  #observer = new MutationObserver(() => this.#arrange());
  #sizes = new ResizeObserver(() => this.#arrange());

  static override styles = [
    kitStyles,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: calc(1.5 * var(--svc-passo));
        min-width: 0;
      }
      :host([vertical]) {
        flex-direction: column;
        align-items: stretch;
      }
    `,
  ];

  constructor() {
    super();
    this.addEventListener('keydown', (event) => this.#key(event));
    this.addEventListener('focusin', (event) => {
      const stop = this.#stops().find((each) => each === event.target || each.contains(event.target as Node));
      if (stop === undefined) return;
      this.#last = stop;
      this.#arrange();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    roleOf(this, 'toolbar');
    this.#observer.observe(this, { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden'] });
    this.#sizes.observe(this);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#sizes.disconnect();
  }

  /** Elements that the arrow keys reach; a control that a narrow page hides is none. */
  #stops(): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>(stops)].filter(
      (each) =>
        !each.matches(`:disabled, [disabled], ${typed}`) && each.closest('[hidden], ui-menu-item') === null && each.checkVisibility(),
    );
  }

  #arrange(): void {
    const all = this.#stops();
    const stop = all.find((each) => each === this.#last) ?? all[0];
    for (const each of all) {
      const isStop = each === stop;
      if ('tabStop' in each) each.tabStop = isStop;
      else each.tabIndex = isStop ? 0 : -1;
    }
  }

  #key(event: KeyboardEvent): void {
    if (event.defaultPrevented || (event.target as Element).closest(`${typed}, ui-menu-item`) !== null) return;
    const all = this.#stops();
    const at = all.findIndex((each) => holdsFocus(each));
    if (at < 0) return;
    const next = step(event.key, at, all.length, this.vertical ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight']);
    if (next === null) return;
    event.preventDefault();
    this.#last = all[next]!;
    this.#arrange();
    // The new stop of Tab is drawn as one with the next turn.
    all[next]!.focus();
  }

  override updated(): void {
    this.ariaLabel = this.label || null;
    this.ariaOrientation = this.vertical ? 'vertical' : null;
  }
  override render(): TemplateResult {
    return html`<slot @slotchange=${() => this.#arrange()}></slot>`;
  }
}

define('ui-toolbar', UiToolbar);
