/**
 * Entries dragged by a finger: it rests on one, which opens the menu, and moves on, which closes the menu and drags what is chosen. Where it goes the same
 * events are dispatched as by a mouse (`dragover`, `dragleave`, `drop`), so that whoever takes files takes these. A finger that moves at once scrolls.
 */
import { closeMenu } from '../ui/menu.ts';
import { SvcTouchDrag } from './svc-touch-drag.ts';

/** A finger that rests trembles. */
const strayPx = 10;
/** So near to an edge of what is scrolled, it is scrolled, by so much in a frame. */
const edgePx = 44;
const scrollPx = 8;

export interface TouchDragSource {
  /** Whether something that can be dragged is there. */
  readonly isEntry: (event: Event) => boolean;
  /** Puts what is dragged into the event and says what it is called; null: it can't be dragged. */
  readonly begin: (event: DragEvent) => string | null;
  readonly trash: (event: DragEvent) => void;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

type Held =
  | { readonly state: 'down' | 'rests'; readonly pointer: number; readonly from: Point }
  | { readonly state: 'drags'; readonly pointer: number; readonly drag: Drag };

interface Drag {
  readonly move: (to: Point) => void;
  /** False: nothing is dropped. */
  readonly end: (isDrop: boolean) => void;
}

/** `root` is what is scrolled. Returns the function that ends it. */
export function listenTouchDrags(root: HTMLElement, source: TouchDragSource): () => void {
  const ended = new AbortController();
  const options = { signal: ended.signal };
  let held: Held | null = null;
  const letGo = (isDrop: boolean): void => {
    const last = held;
    held = null;
    if (last?.state === 'drags') last.drag.end(isDrop);
  };
  const keepStill = (event: TouchEvent): void => {
    if (held !== null && held.state !== 'down' && event.cancelable) event.preventDefault();
  };
  const down = (event: PointerEvent): void => {
    letGo(false);
    if (event.pointerType !== 'touch' || !event.isPrimary || !source.isEntry(event)) return;
    held = { state: 'down', pointer: event.pointerId, from: { x: event.clientX, y: event.clientY } };
  };
  const move = (event: PointerEvent): void => {
    if (held === null || event.pointerId !== held.pointer) return;
    const to = { x: event.clientX, y: event.clientY };
    if (held.state === 'drags') return held.drag.move(to);
    if (held.state === 'down' || Math.hypot(to.x - held.from.x, to.y - held.from.y) <= strayPx) return;
    const drag = beginDrag(source);
    held = drag === null ? null : { state: 'drags', pointer: held.pointer, drag };
    if (drag === null) return;
    // The entry under the finger may be drawn anew, or scrolled away.
    root.setPointerCapture(event.pointerId);
    drag.move(to);
  };
  root.addEventListener('pointerdown', down, options);
  root.addEventListener('pointermove', move, options);
  root.addEventListener('pointerup', ({ pointerId }) => pointerId === held?.pointer && letGo(true), options);
  root.addEventListener('pointercancel', ({ pointerId }) => pointerId === held?.pointer && letGo(false), options);
  // Whoever says it, the browser or ui/long-press.ts.
  root.addEventListener('contextmenu', () => held?.state === 'down' && (held = { ...held, state: 'rests' }), options);
  // Some browsers drag by touch themselves, without the menu.
  root.addEventListener('dragstart', (event) => held !== null && (event.preventDefault(), event.stopImmediatePropagation()), {
    capture: true,
    ...options,
  });
  // A finger that moves on after it rested scrolls nothing; of an entry that is drawn anew under it only the entry hears.
  root.addEventListener('touchmove', keepStill, { passive: false, ...options });
  root.addEventListener(
    'touchstart',
    ({ target }) => target?.addEventListener('touchmove', keepStill as EventListener, { passive: false, ...options }),
    { passive: true, ...options },
  );
  return () => {
    letGo(false);
    ended.abort();
  };
}

function beginDrag(source: TouchDragSource): Drag | null {
  const data = new DataTransfer();
  const label = source.begin(new DragEvent('dragstart', { cancelable: true, dataTransfer: data }));
  if (label === null) return null;
  closeMenu();
  const shown = new SvcTouchDrag();
  shown.label = label;
  shown.trash = source.trash;
  document.body.append(shown);
  let at: Point = { x: 0, y: 0 };
  let over: Element | null = null;
  let takes = false;
  let frame = 0;
  const tell = (type: 'dragover' | 'dragleave' | 'drop', target: Element | null): boolean =>
    target?.dispatchEvent(
      new DragEvent(type, { bubbles: true, composed: true, cancelable: true, clientX: at.x, clientY: at.y, dataTransfer: data }),
    ) === false;
  const look = (): void => {
    const under = deepElementAt(at);
    if (under !== over) tell('dragleave', over);
    over = under;
    takes = tell('dragover', over);
  };
  const scroll = (): void => {
    frame = requestAnimationFrame(scroll);
    if (scrollAt(over, at.y)) look();
  };
  frame = requestAnimationFrame(scroll);
  return {
    move: (to) => {
      at = to;
      shown.move(to.x, to.y);
      void shown.updateComplete.then(() => shown.move(to.x, to.y));
      look();
    },
    end: (isDrop) => {
      cancelAnimationFrame(frame);
      if (isDrop && takes) tell('drop', over);
      else tell('dragleave', over);
      shown.remove();
    },
  };
}

function deepElementAt({ x, y }: Point): Element | null {
  let found = document.elementFromPoint(x, y);
  for (let inner = found; inner !== null;) {
    found = inner;
    const next: Element | null = inner.shadowRoot?.elementFromPoint(x, y) ?? null;
    inner = next === inner ? null : next;
  }
  return found;
}

/** True: something was scrolled. */
function scrollAt(element: Element | null, y: number): boolean {
  const scrolled = element?.closest('.scroll');
  if (!(scrolled instanceof HTMLElement)) return false;
  const { top, bottom } = scrolled.getBoundingClientRect();
  const before = scrolled.scrollTop;
  if (y < top + edgePx) scrolled.scrollTop -= scrollPx;
  else if (y > bottom - edgePx) scrolled.scrollTop += scrollPx;
  return scrolled.scrollTop !== before;
}
