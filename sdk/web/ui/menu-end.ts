/** Ends of a menu besides the person's: its opener is gone, hidden or scrolled, the page is another one, or the person is elsewhere. */

/** As drawn: through slots and shadow roots. */
export function* around(element: Element): Generator<Element> {
  for (let at: Element | null = element; at !== null;) {
    yield at;
    const parent: Node | null = at.assignedSlot ?? at.parentNode;
    at = parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
  }
}

/** Calls `close` at the first of these, until `signal` is aborted. `of`: what the menu was opened for; null where that is nothing in the page. */
export function endsWith(of: Element | null, close: () => void, signal: AbortSignal): void {
  const { innerWidth: width } = globalThis;
  // The height changes when the keyboard of a phone goes because the menu took the focus.
  addEventListener('resize', () => innerWidth !== width && close(), { signal });
  for (const type of ['blur', 'popstate', 'pagehide'] as const) addEventListener(type, close, { signal });
  if (of === null) return;
  const scrolled = [...around(of)].map((element) => ({ element, left: element.scrollLeft, top: element.scrollTop }));
  const isSeen = (): boolean => of.isConnected && of.closest('[inert]') === null && of.checkVisibility({ visibilityProperty: true });
  const wasSeen = isSeen();
  const look = (): void => {
    if (signal.aborted) return;
    if ((wasSeen && !isSeen()) || scrolled.some(({ element, left, top }) => element.scrollLeft !== left || element.scrollTop !== top))
      close();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
