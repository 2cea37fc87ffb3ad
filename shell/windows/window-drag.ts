/** Drags of a window: the title moves it and snaps it to the edges, a handle resizes it. Iframes are shielded meanwhile. */
import type { DragSteps } from '../../sdk/web/ui/drag.ts';
import { fillsArea, moved, resized, snapTarget, tornOff, type Handle, type Mode, type Rect } from './geometry.ts';
import type { WindowState } from './manager.ts';
import type { Shell } from './shell.ts';

/** Where the window would snap if it were let go now; the desktop draws it. */
export interface SnapPreview {
  readonly mode: Exclude<Mode, 'normal'>;
}

/**
 * From the press on: a browser asks the process of a page before it knows that the pointer is captured elsewhere. A target that is gone meanwhile is
 * told of at the document.
 */
export function shieldWhileCaptured({ shielded }: Pick<Shell, 'shielded'>): void {
  shielded.set(true);
  document.addEventListener('lostpointercapture', () => shielded.set(false), { once: true });
}

export function moveSteps(
  desk: Shell,
  window: WindowState,
  preview: (target: SnapPreview | null) => void,
  startX: number,
  startY: number,
): DragSteps {
  const { windows } = desk;
  const area = windows.area.get();
  const fixed = fillsArea(area);
  const from: Rect = window.mode === 'normal' ? window.rect : tornOff(window.rect, startX, startY, area);
  desk.shielded.set(true);
  return {
    move: (dx, dy, x, y) => {
      if (fixed) return;
      windows.slide(window.id, moved(from, dx, dy, area));
      const mode = snapTarget(x, y, area);
      preview(mode === null ? null : { mode });
    },
    end: (kept, x, y) => {
      desk.shielded.set(false);
      preview(null);
      if (fixed) return;
      const target = snapTarget(x, y, area);
      const now = windows.find(window.id)?.rect ?? window.rect;
      if (!kept) windows.place(window.id, window.rect);
      // The rectangle to come back to is the one before the drag.
      else windows.place(window.id, target === null ? now : window.rect);
      if (kept && target !== null) windows.setMode(window.id, target);
      else if (!kept && window.mode !== 'normal') windows.setMode(window.id, window.mode);
    },
  };
}

export function resizeSteps(desk: Shell, window: WindowState, handle: Handle): DragSteps {
  const { windows } = desk;
  const from = windows.shown(window);
  desk.shielded.set(true);
  return {
    move: (dx, dy) => windows.slide(window.id, resized(from, handle, dx, dy, windows.least(window.id), windows.area.get())),
    end: (kept) => {
      desk.shielded.set(false);
      windows.place(window.id, kept ? (windows.find(window.id)?.rect ?? window.rect) : window.rect);
      if (!kept) windows.setMode(window.id, window.mode);
    },
  };
}

/** Time after the pointer went up in which a page may still report the end of its drag. */
const pageSaysMs = 500;

/** A drag by a title bar of a page's own, in whose frame the pointer is. */
interface PageDrag {
  /** `follow`: what the desktop sees of the pointer itself, on the screen. */
  begin(steps: DragSteps, at: readonly [number, number], follow: (phase: 'mover' | 'fim', x: number, y: number) => void): void;
  /** Distance from the start, and the pointer on the desktop. */
  move(dx: number, dy: number, x: number, y: number): void;
  /** Null: where the pointer was last. Nothing where none goes on. */
  end(kept: boolean, at: readonly [number, number] | null): void;
}

/**
 * Runs a single drag of a page at a time. Where the desktop sees that the pointer is up and the page does not report it, the drag ends: no
 * page leaves the desktop shielded.
 */
export function createPageDrag(): PageDrag {
  let now: { readonly steps: DragSteps; readonly over: AbortController; at: readonly [number, number] } | null = null;
  const end: PageDrag['end'] = (kept, at) => {
    if (now === null) return;
    const { steps, over, at: last } = now;
    now = null;
    over.abort();
    steps.end(kept, ...(at ?? last));
  };
  return {
    begin: (steps, at, follow) => {
      const over = new AbortController();
      const { signal } = over;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const isUp = (): void => void (timer ??= setTimeout(() => end(true, null), pageSaysMs));
      // The pages are covered now: where the page of the title is a process of its own, the pointer is told to the desktop from here on.
      const moved = ({ buttons, screenX: x, screenY: y }: PointerEvent): void => (buttons === 0 ? isUp() : follow('mover', x, y));
      addEventListener('pointermove', moved, { signal, capture: true });
      addEventListener('pointerup', ({ screenX: x, screenY: y }) => follow('fim', x, y), { signal, capture: true });
      addEventListener('pointerdown', ({ isPrimary }) => isPrimary && isUp(), { signal, capture: true });
      signal.addEventListener('abort', () => clearTimeout(timer));
      now = { steps, over, at };
    },
    move: (dx, dy, x, y) => {
      if (now === null) return;
      now.at = [x, y];
      now.steps.move(dx, dy, x, y);
    },
    end,
  };
}
