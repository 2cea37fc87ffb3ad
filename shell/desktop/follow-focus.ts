/**
 * The keyboard and the pages of apps. A page gets it by the Tab key, by a press in it, and from the desktop. A browser also obeys a page that calls
 * `focus()` unasked, whatever the person types in: such a page gives it back. Decision: docs/decisions/0346-a-page-that-takes-the-keyboard.md
 */
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import { isInModal } from '../ui/in-modal.ts';
import type { Desk } from './desk.ts';

/** The word of a page that it was pressed comes by another way than the focus, about as quickly. */
const pressMsMax = 250;

/** `giveFocus`: to the window in front, when nothing has it. */
export function followFocus(desk: Desk, giveFocus: () => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  /** A press leaves `activeElement` at the iframe before: only one that was not active at the last look counts. */
  let seen: HTMLElement | null = null;
  /** Pages that took it before: they have no time to do it again. One that was pressed gets it by the word of that. */
  const takers = new WeakSet<HTMLElement>();
  /** What lost the keyboard last, outside of all pages. */
  let own: HTMLElement | null = null;
  const isFront = (id: string): boolean => desk.windows.top()?.id === id;
  const giveBack = (): void => {
    deepActive()?.blur();
    if (own?.isConnected === true && own.checkVisibility()) own.focus({ preventScroll: true });
    if (deepActive() === document.body) giveFocus();
  };
  const look = (): void => {
    const active = deepActive();
    if (active === seen || active === null) return;
    seen = active;
    const [id] = [...desk.frames].find(([, { iframe }]) => iframe === active) ?? [];
    if (id === undefined) return;
    const undo = (): void => {
      if (signal.aborted || deepActive() !== active || isFront(id)) return;
      takers.add(active);
      giveBack();
    };
    if (isInModal(own)) giveBack();
    else if (takers.has(active)) undo();
    else setTimeout(undo, pressMsMax);
  };
  // The browser moves the focus after this event.
  addEventListener('blur', () => void setTimeout(look), { signal });
  addEventListener('focusin', () => (seen = null), { signal });
  // Told here of what loses it to a page: a move within one shadow root is not.
  addEventListener(
    'focusout',
    (event) => {
      const [lost] = event.composedPath();
      if (lost instanceof HTMLElement && !(lost instanceof HTMLIFrameElement)) own = lost;
    },
    { signal },
  );
  const end = desk.windows.windows.subscribe(() => (seen = deepActive()));
  return () => {
    end();
    ended.abort();
  };
}

/** The page of the window lost the keyboard, a moment ago. Between two pages nothing else tells the desktop: the one in front gets it back. */
export function keptByFront({ windows, frames }: Pick<Desk, 'windows' | 'frames'>, id: string): void {
  if (document.hasFocus() && isPage(frames, deepActive()) && windows.top()?.id === id) frames.get(id)?.focusContent();
}

/** The page of the window was pressed. Where its word came late, the keyboard was given back: it is the page's. */
export function pressed({ windows, frames }: Pick<Desk, 'windows' | 'frames'>, id: string): void {
  windows.focus(id);
  if (!isPage(frames, deepActive())) frames.get(id)?.focusContent();
}

/** Browsers leave the element at the page before when another one is pressed. */
const isPage = (frames: Desk['frames'], active: HTMLElement | null): boolean =>
  active !== null && [...frames.values()].some(({ iframe }) => iframe === active);
