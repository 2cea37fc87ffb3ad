/**
 * Base of every element of the kit: it draws anew when the language of the page changes, and takes its look from the tokens of svc-ui.css
 * only.
 */
import { css, LitElement } from 'lit';
import { deepActive } from './deep-active.ts';
import { onLanguage, word, type WordKey } from './words.ts';

export class KitElement extends LitElement {
  #end: () => void = () => {};

  override connectedCallback(): void {
    super.connectedCallback();
    this.#end = onLanguage(() => this.languageChanged());
    // At once: a dialog that opens in this turn, or a script, gives the focus to what is inside.
    if (!this.hasUpdated) this.performUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
  }

  protected languageChanged(): void {
    this.requestUpdate();
  }

  protected word(key: WordKey, values?: Readonly<Record<string, string | number>>): string {
    return word(this, key, values);
  }

  /**
   * False when a listener cancelled the event. It does not bubble by default: elements around it have a `close` and a `cancel` of their
   * own.
   */
  protected emit(type: string, detail?: unknown, { bubbles = true, cancelable = false } = {}): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles, cancelable }));
  }
}

/** A name that the page gave to an element of its own stays the page's. */
export function define(name: string, element: CustomElementConstructor): void {
  if (customElements.get(name) === undefined) customElements.define(name, element);
}

/** Whether the focus is on the element or in it, also in what is put into its slots. */
export function holdsFocus(element: Element): boolean {
  for (let at: Node | null = deepActive(); at !== null; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    if (at === element) return true;
  }
  return false;
}

/** The words of an element itself, without what is in its other slots. */
export const wordsOf = (element: Element): string =>
  Array.from(element.childNodes, (node) =>
    node instanceof Text || (node instanceof Element && node.slot === '') ? (node.textContent ?? '') : '',
  )
    .join('')
    .trim();

/** A role that the page gave stays. */
export function roleOf(element: Element, role: string): void {
  if (!element.hasAttribute('role')) element.setAttribute('role', role);
}

/** Index that arrow keys, Home and End lead to in a list; null for any other key. The caller chooses the arrows by reading direction. */
export function step(key: string, at: number, count: number, [back, on]: readonly [string, string]): number | null {
  if (count === 0) return null;
  if (key === back) return (at - 1 + count) % count;
  if (key === on) return (at + 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}

export const kitStyles = css`
  :host {
    color: var(--svc-texto);
    font-family: var(--svc-fonte);
    line-height: 1.4;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  button,
  input,
  select,
  textarea {
    color: inherit;
    font: inherit;
  }
  p,
  h2 {
    margin: 0;
  }
  :focus {
    outline: none;
  }
  :focus-visible,
  :host(:focus-visible) {
    outline: 2px solid var(--svc-foco);
    outline-offset: 2px;
  }
  svg {
    flex: none;
    display: block;
  }
  .icon {
    display: inline-grid;
    flex: none;
    place-items: center;
    width: var(--svc-controle);
    height: var(--svc-controle);
    padding: 0;
    border: 0;
    border-radius: var(--svc-raio);
    background: transparent;
    color: var(--svc-texto-fraco);
    cursor: pointer;
  }
  .icon:hover {
    background: var(--svc-superficie-alta);
    color: var(--svc-texto);
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: clip;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @keyframes turn {
    to {
      transform: rotate(1turn);
    }
  }
`;
