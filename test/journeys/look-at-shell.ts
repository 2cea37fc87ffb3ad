/** Runs in the shell's page: what the invariants need to know of it, by its elements and through its shadow roots. It uses nothing of this file's surroundings. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface Named {
  readonly name: string;
  readonly box: Box;
}
export interface ShellLook {
  readonly language: string;
  /** Elements that no wheel scrolls, and that are scrolled. */
  readonly scrolled: readonly string[];
  readonly page: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly roomWidth: number;
    readonly roomHeight: number;
  };
  /** Where windows may be. */
  readonly area: Box;
  readonly menus: readonly Named[];
  /** Open modal dialogs. */
  readonly dialogs: readonly Named[];
  /** Names of the windows that are not minimised, the one in front last. */
  readonly windows: readonly string[];
  readonly titles: readonly Named[];
  readonly focus: {
    /** null: the page as a whole. */
    readonly element: string | null;
    readonly window: { readonly name: string; readonly isFront: boolean } | null;
    readonly inOverlay: boolean;
    readonly inTaskbar: boolean;
    readonly isShown: boolean;
    readonly box: Box;
  };
  /** Every visible text and name, once each. */
  readonly texts: readonly string[];
  /** Kinds of parts that are open: for axe, two of one kind are the same. */
  readonly surface: string;
}

export function lookAtShell(): ShellLook {
  const boxOf = (element: Element): Box => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  };
  const all: Element[] = [];
  const walk = (root: ParentNode): void => {
    for (const element of root.querySelectorAll('*')) {
      all.push(element);
      if (element.shadowRoot !== null) walk(element.shadowRoot);
    }
  };
  walk(document);
  /** The elements around it, through shadow roots and slots. */
  const around = (element: Element): readonly Element[] => {
    const list: Element[] = [];
    let at: Element | null = element;
    while (at !== null) {
      list.push(at);
      const root: Node = at.getRootNode();
      at = at.assignedSlot ?? at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    }
    return list;
  };
  const nameOf = (element: Element): string => {
    const id = element.id === '' ? '' : `#${element.id}`;
    const label = element.getAttribute('aria-label') ?? element.getAttribute('title') ?? element.getAttribute('data-name');
    return `${element.localName}${id}${label === null ? '' : `[${label}]`}`;
  };
  const isShown = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });

  const isScroller = (value: string): boolean => value === 'auto' || value === 'scroll';
  const scrolled: string[] = [];
  for (const element of all) {
    if (element.scrollTop === 0 && element.scrollLeft === 0) continue;
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element === document.documentElement) continue;
    const style = getComputedStyle(element);
    const path = (): string => around(element).slice(0, 3).map(nameOf).toReversed().join(' > ');
    if (element.scrollTop !== 0 && !isScroller(style.overflowY)) scrolled.push(`${path()} by ${element.scrollTop} down`);
    if (element.scrollLeft !== 0 && !isScroller(style.overflowX)) scrolled.push(`${path()} by ${element.scrollLeft} aside`);
  }

  const shownOf = (name: string): readonly Element[] => all.filter((each) => each.localName === name && isShown(each));
  const main = all.find((each) => each.localName === 'main' && each.getRootNode() instanceof ShadowRoot);
  const windows = all
    .filter((each) => each.localName === 'svc-window' && !each.hasAttribute('minimised'))
    .toSorted((one, other) => Number(getComputedStyle(one).zIndex) - Number(getComputedStyle(other).zIndex));
  const titles = windows.flatMap((window) => {
    const title = window.shadowRoot?.querySelector('header.title');
    return title == null ? [] : [{ name: window.ariaLabel ?? '', box: boxOf(title) }];
  });
  const menus = all
    .filter((each) => each.getAttribute('role') === 'menu' && isShown(each))
    .filter((each) => !around(each).some((outer) => outer.getAttribute('slot') === 'submenu'))
    .map((each) => ({ name: each.getAttribute('aria-label') ?? '', box: boxOf(each) }));
  const dialogs = shownOf('dialog')
    .filter((each) => each.matches(':modal'))
    .map((each) => ({ name: each.getAttribute('aria-label') ?? each.textContent?.trim().slice(0, 40) ?? '', box: boxOf(each) }));

  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement != null) active = active.shadowRoot.activeElement;
  const isNowhere = active === null || active === document.body || active === document.documentElement;
  const path = active === null || isNowhere ? [] : around(active);
  const window = path.find((each) => each.localName === 'svc-window') ?? null;
  // The field of a terminal has no size: the terminal is what is seen.
  const seen = active?.closest('.xterm') ?? active;
  const focusBox = seen === null ? { x: 0, y: 0, width: 0, height: 0 } : boxOf(seen);

  const texts = new Set<string>();
  const addText = (value: string | null): void => {
    const text = value?.replaceAll(/\s+/g, ' ').trim() ?? '';
    if (text !== '') texts.add(text);
  };
  const foreign = new Set(['style', 'script', 'svc-screen', 'textarea', 'code', 'pre']);
  /** Words that are a person's own or an app's: names of files and apps, what is in a file. An answer for each element, which its children ask for. */
  const own = new Map<Element, boolean>();
  const isOwn = (element: Element): boolean => {
    const known = own.get(element);
    if (known !== undefined) return known;
    const root: Node = element.getRootNode();
    const outer = element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    const is =
      foreign.has(element.localName) ||
      element.hasAttribute('data-name') ||
      element.classList.contains('cm-editor') ||
      (outer !== null && isOwn(outer));
    own.set(element, is);
    return is;
  };
  const kinds = new Set<string>();
  for (const element of all) {
    if (!isShown(element)) continue;
    if (/^svc-(?!window|app-icon|desktop|taskbar|home)/.test(element.localName) || element.matches('[role=menu], dialog[open]'))
      kinds.add(`${element.localName}${element.getAttribute('aria-label') ?? ''}`);
    if (isOwn(element)) continue;
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) addText(node.nodeValue);
    for (const attribute of ['aria-label', 'title', 'placeholder', 'alt']) addText(element.getAttribute(attribute));
  }

  return {
    language: document.documentElement.lang,
    scrolled,
    page: {
      x: globalThis.scrollX,
      y: globalThis.scrollY,
      width: document.documentElement.scrollWidth,
      height: document.documentElement.scrollHeight,
      roomWidth: innerWidth,
      roomHeight: innerHeight,
    },
    area: main === undefined ? { x: 0, y: 0, width: innerWidth, height: innerHeight } : boxOf(main),
    menus,
    dialogs,
    windows: windows.map((each) => each.ariaLabel ?? ''),
    titles,
    focus: {
      element: isNowhere || active === null ? null : nameOf(active),
      window: window === null ? null : { name: window.ariaLabel ?? '', isFront: window === windows.at(-1) },
      inOverlay: path.some((each) => each.matches('dialog, [role=menu], ui-menu, ui-dialog')),
      inTaskbar: path.some((each) => each.localName === 'svc-taskbar'),
      isShown: seen !== null && !isNowhere && isShown(seen) && focusBox.width > 0 && focusBox.height > 0,
      box: focusBox,
    },
    texts: [...texts],
    surface: [...kinds].sort().join(' '),
  };
}
