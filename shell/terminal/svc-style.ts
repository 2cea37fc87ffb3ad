/** Puts the style elements that xterm.js writes into constructed sheets of their root: the shell's policy takes no inline styles. */
class SvcStyle extends HTMLElement {
  #sheet = new CSSStyleSheet();
  #root: Document | ShadowRoot | null = null;

  connectedCallback(): void {
    const root = this.getRootNode();
    if (!(root instanceof ShadowRoot || root instanceof Document)) return;
    this.#root = root;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.#sheet];
  }

  disconnectedCallback(): void {
    if (this.#root === null) return;
    this.#root.adoptedStyleSheets = this.#root.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet);
    this.#root = null;
  }

  override get textContent(): string {
    return '';
  }
  override set textContent(rules: string) {
    this.#sheet.replaceSync(rules);
  }
}

customElements.define('svc-style', SvcStyle);
