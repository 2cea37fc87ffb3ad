/**
 * The shell's keys: Ctrl+K or Meta alone opens the launcher, F6 and Shift+F6 go through the windows, and in keyboard mode the arrows move
 * (24 px, with Shift 4 px) or resize until Enter keeps or Escape takes back. Documented for people in the shortcuts dialog. Alt+Q, held, goes
 * through the windows by when they were used last, with Shift from the other end. F1 opens the help, unless a page of an app or a terminal has the
 * keyboard. Only these: browsers and systems own most combinations, and an app keeps all others. Everything else is an entry of the window menu and of the
 * launcher, which is also the list of commands. The SDK forwards them from inside a page; an app without it keeps them while it has the
 * focus.
 */
import { shellKeyOf, type ShellKey } from '../../schema/bridge/protocol.ts';
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import { isInModal } from '../ui/in-modal.ts';
import type { Rect } from '../windows/geometry.ts';
import type { Desk } from './desk.ts';
import { openHelp } from './built-in.ts';

const stepPx = 24;
const fineStepPx = 4;

const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function pressShellKey(desk: Desk, key: ShellKey): void {
  if (key === 'Alt') {
    const switching = desk.switching.get();
    if (switching !== null) desk.switching.set({ ...switching, isOver: true });
    return;
  }
  // The page of an app sends these too: what covers the question could be taken away under a click.
  if (desk.appCalls.question.get() !== null) return;
  // Nothing behind a dialog takes the focus: it would be invisible there. The launcher makes room.
  if (!desk.launcherOpen.get() && isInModal(deepActive())) return;
  if (key === 'F6' || key === 'Shift+F6') {
    if (desk.launcherOpen.get()) return;
    const next = desk.windows.neighbour(key === 'F6' ? 1 : -1);
    if (next !== null) desk.activate(next.id);
    return;
  }
  if (key === 'Alt+q' || key === 'Alt+Shift+q') {
    if (desk.windows.windows.get().length === 0 || desk.switching.get() !== null) return;
    globalThis.focus();
    desk.launcherOpen.set(false);
    desk.switching.set({ from: key === 'Alt+q' ? 1 : -1, isOver: false });
    return;
  }
  if (!desk.launcherOpen.get()) globalThis.focus();
  desk.launcherOpen.set(!desk.launcherOpen.get());
}

/** Not forwarded from the page of an app: there it is the app's. */
export const isHelpKey = ({ key, ctrlKey, altKey, shiftKey, metaKey }: KeyboardEvent): boolean =>
  key === 'F1' && !ctrlKey && !altKey && !shiftKey && !metaKey;

/** A terminal: Ctrl+K is the shell's in it. */
const keepsKeys = (event: KeyboardEvent): boolean =>
  event.composedPath().some((part) => part instanceof Element && part.hasAttribute('data-own-keys'));

/** Listens on the page. Returns the function that ends it. */
export function listenKeys(desk: Desk): () => void {
  let metaAlone = false;
  let before: Rect | null = null;
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };

  desk.keyboardMode.subscribe(() => {
    const mode = desk.keyboardMode.get();
    before = mode === null ? null : (desk.windows.find(mode.window)?.rect ?? null);
  });

  const keyDown = (event: KeyboardEvent): void => {
    metaAlone = event.key === 'Meta';
    const mode = desk.keyboardMode.get();
    if (mode !== null) {
      if (inMode(desk, mode.window, mode.kind, event, before)) stop(event);
      return;
    }
    if (isHelpKey(event) && !keepsKeys(event)) {
      stop(event);
      openHelp(desk);
      return;
    }
    const key = shellKeyOf(event);
    if (key === null || (key === 'Control+k' && keepsKeys(event)) || (event.altKey && desk.switching.get() !== null)) return;
    stop(event);
    pressShellKey(desk, key);
  };
  const keyUp = (event: KeyboardEvent): void => {
    if (event.key === 'Meta' && metaAlone) pressShellKey(desk, 'Meta');
    if (event.key === 'Alt') pressShellKey(desk, 'Alt');
    metaAlone = false;
  };
  const pointerDown = (): void => {
    metaAlone = false;
    desk.keyboardMode.set(null);
  };
  addEventListener('keydown', keyDown, options);
  addEventListener('keyup', keyUp, options);
  addEventListener('pointerdown', pointerDown, options);
  return () => ended.abort();
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** True when the key was one of the mode's. */
function inMode(desk: Desk, id: string, kind: 'move' | 'resize', event: KeyboardEvent, before: Rect | null): boolean {
  const arrow = arrows[event.key];
  if (arrow !== undefined) {
    const step = event.shiftKey ? fineStepPx : stepPx;
    if (kind === 'move') desk.windows.move(id, arrow[0] * step, arrow[1] * step);
    else desk.windows.resize(id, 'se', arrow[0] * step, arrow[1] * step);
    return true;
  }
  if (event.key === 'Shift') return false;
  if (event.key === 'Escape' && before !== null) desk.windows.place(id, before);
  desk.keyboardMode.set(null);
  if (event.key !== 'Enter' && event.key !== 'Escape') return false;
  desk.activate(id);
  return true;
}
