/**
 * The part of the page that an on-screen keyboard leaves free. Some browsers make the page smaller (`interactive-widget` in index.html);
 * others cover it and shift the visible part (Safari on a phone): for those the custom properties of shell.css hold the free part. In both,
 * the field with the focus stays in sight.
 */
import { deepActive } from '../../sdk/web/ui/deep-active.ts';

/** The bars of a browser come and go by less; a keyboard is never so low. */
const keyboardPxMin = 120;
/** Fingers zoom by more. */
const zoomMin = 1.02;

export interface Seen {
  readonly height: number;
  /** Distance of the visible part from the top of the page. */
  readonly top: number;
  readonly zoom: number;
}

export interface Left {
  readonly height: number;
  readonly top: number;
  /** Below it. */
  readonly covered: number;
}

/** The free part of a page of this height; null: all of it. */
export function leftOf(pageHeight: number, { height, top, zoom }: Seen): Left | null {
  if (zoom >= zoomMin || pageHeight - height < keyboardPxMin) return null;
  return { height, top, covered: Math.max(0, pageHeight - height - top) };
}

/** Whether a keyboard took the height, and gives it back: a screen of fingers that became lower while somebody types, and not narrower. */
export function isByKeyboard(
  before: { readonly width: number; readonly height: number },
  now: { readonly width: number; readonly height: number },
): boolean {
  return before.width === now.width && before.height - now.height >= keyboardPxMin && matchMedia('(pointer: coarse)').matches && isTyping();
}

function isTyping(): boolean {
  const active = deepActive();
  return active?.matches('input, textarea, iframe, [contenteditable]') === true || active?.isContentEditable === true;
}

/** Listens as long as the page lives. */
export function followScreen(view: VisualViewport | null = visualViewport): void {
  if (view === null) return;
  const { documentElement: page } = document;
  let height = view.height;
  const look = (): void => {
    const left = leftOf(page.clientHeight, { height: view.height, top: view.offsetTop, zoom: view.scale });
    const told = { '--screen': left?.height, '--screen-top': left?.top, '--keyboard': left?.covered };
    for (const [name, value] of Object.entries(told))
      if (value === undefined) page.style.removeProperty(name);
      else page.style.setProperty(name, `${Math.round(value)}px`);
    const isLess = view.height < height;
    height = view.height;
    // Two frames later everything has its new place.
    if (isLess && isTyping())
      requestAnimationFrame(() =>
        requestAnimationFrame(() => isTyping() && deepActive()?.scrollIntoView({ block: 'nearest', inline: 'nearest' })),
      );
  };
  view.addEventListener('resize', look);
  view.addEventListener('scroll', look);
  look();
}
