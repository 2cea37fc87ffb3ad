/**
 * A finger that rests opens the context menu: browsers that do not say `contextmenu` by themselves (Safari on a phone) get one, and the click that
 * follows the finger does nothing. Where the browser says it, its own counts.
 */
const pressMs = 550;
const strayPx = 10;
/** After the menu is open the finger goes up: what it would click then is not meant. */
const quietMs = 800;

/** Returns the function that ends it. */
export function listenLongPress(root: HTMLElement): () => void {
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let began: { readonly x: number; readonly y: number } | null = null;
  let openedMs = -Infinity;
  const stop = (): void => {
    clearTimeout(timer);
    began = null;
  };
  const open = (target: EventTarget, x: number, y: number): void => {
    stop();
    openedMs = performance.now();
    target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, composed: true, cancelable: true, clientX: x, clientY: y }));
  };
  root.addEventListener(
    'pointerdown',
    (event) => {
      stop();
      // The finger that opened a menu is up again: this press is meant.
      if (event.isPrimary) openedMs = -Infinity;
      const [target] = event.composedPath();
      if (event.pointerType !== 'touch' || !event.isPrimary || target === undefined) return;
      const { clientX, clientY } = event;
      began = { x: clientX, y: clientY };
      timer = setTimeout(() => open(target, clientX, clientY), pressMs);
    },
    options,
  );
  root.addEventListener(
    'pointermove',
    ({ clientX, clientY }) => {
      if (began !== null && Math.hypot(clientX - began.x, clientY - began.y) > strayPx) stop();
    },
    options,
  );
  for (const type of ['pointerup', 'pointercancel', 'scroll'] as const) root.addEventListener(type, stop, options);
  root.addEventListener(
    'contextmenu',
    (event) => {
      if (!event.isTrusted) return;
      stop();
      // Ours is open already.
      if (performance.now() - openedMs < quietMs) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    },
    options,
  );
  const calm = (event: Event): void => {
    if (performance.now() - openedMs >= quietMs || !event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('click', calm, options);
  return () => {
    stop();
    ended.abort();
  };
}
