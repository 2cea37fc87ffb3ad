/**
 * A document for xterm.js under the shell's policy, which takes no inline styles: what it writes into a `<style>` becomes a constructed sheet of
 * the shadow root, and what it sets as a `style` attribute is set through the element's style object. All else is the page's document.
 */
export function documentFor(root: ShadowRoot): Document {
  const elements: Readonly<Record<string, () => HTMLElement>> = {
    style: () => sheetElement(root),
    span: styledSpan,
  };
  return new Proxy(document, {
    get: (target, name) => {
      if (name === 'createElement') return (tag: string) => elements[tag]?.() ?? target.createElement(tag);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

function sheetElement(root: ShadowRoot): HTMLElement {
  const element = document.createElement('i');
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  const drop = (): void => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
  };
  Object.defineProperty(element, 'textContent', {
    get: () => '',
    set: (text: string) => {
      sheet.replaceSync(text);
      drop();
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    },
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    drop();
    remove();
  };
  return element;
}

function styledSpan(): HTMLElement {
  const element = document.createElement('span');
  const set = element.setAttribute.bind(element);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else set(name, value);
  };
  return element;
}
