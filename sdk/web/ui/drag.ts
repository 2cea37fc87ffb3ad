/** A pointer drag: the pointer is captured, every movement reported as distance from the start, and it always ends. */
import { deepActive } from './deep-active.ts';

export interface DragSteps {
  /** Distance from the start, and the pointer in page coordinates. */
  move(dx: number, dy: number, x: number, y: number): void;
  /** Escape, a lost pointer or a cancelled touch leaves with `kept` false. */
  end(kept: boolean, x: number, y: number): void;
}

/** Movement below this is a click. */
const thresholdPx = 3;

/** False: it is no press that drags. */
export function startDrag(event: PointerEvent, target: HTMLElement, begin: () => DragSteps): boolean {
  if (event.button !== 0 || !event.isPrimary) return false;
  const { pointerId, clientX: startX, clientY: startY } = event;
  const over = new AbortController();
  const { signal } = over;
  let steps: DragSteps | null = null;
  let x = startX;
  let y = startY;
  target.setPointerCapture(pointerId);
  // A page that keeps the keyboard would swallow the Escape that takes the drag back; by this its menus close, too.
  const active = deepActive();
  const frame = active instanceof HTMLIFrameElement ? active : null;
  frame?.blur();

  const finish = (kept: boolean): void => {
    over.abort();
    if (target.hasPointerCapture(pointerId)) target.releasePointerCapture(pointerId);
    steps?.end(kept, x, y);
    if (frame?.isConnected === true && deepActive() === document.body) frame.focus({ preventScroll: true });
  };
  target.addEventListener(
    'pointermove',
    (move) => {
      if (move.pointerId !== pointerId) return;
      // The press ended over a page before the browser knew of the capture, and only that page received the event.
      if (move.buttons === 0) return finish(true);
      ({ clientX: x, clientY: y } = move);
      if (steps === null && Math.hypot(x - startX, y - startY) < thresholdPx) return;
      steps ??= begin();
      steps.move(x - startX, y - startY, x, y);
    },
    { signal },
  );
  target.addEventListener('pointerup', (up) => up.pointerId === pointerId && finish(true), { signal });
  target.addEventListener('pointercancel', (cancel) => cancel.pointerId === pointerId && finish(false), { signal });
  // Listens on the document: it receives the event also when the target was removed meanwhile.
  document.addEventListener('lostpointercapture', (lost) => lost.pointerId === pointerId && finish(true), { signal });
  addEventListener('keydown', (key) => key.key === 'Escape' && finish(false), { signal, capture: true });
  return true;
}
