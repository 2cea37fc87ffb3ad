/**
 * The keyboard and the pages of apps. A page gets it by the Tab key, by a press in it, and from the desktop. A browser also obeys a page that calls
 * `focus()` unasked, whatever the person types in: such a page gives it back, at once where the desktop asks something, and is taken out of its window
 * when it goes on. Decisions: docs/decisions/0346-a-page-that-takes-the-keyboard.md, 0380-the-keyboard-of-a-question.md
 */
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import { isInQuestion, isSecretField } from '../ui/in-modal.ts';
import type { Desk } from './desk.ts';
import { tellTaken } from './tell-taken.ts';

/** The word of a page that it was pressed comes by another way than the focus, about as quickly. */
const pressMsMax = 250;

type Pages = Pick<Desk, 'windows' | 'frames' | 'takers'>;

/** `giveFocus`: to the window in front, when nothing has it. */
export function followFocus(desk: Desk, giveFocus: () => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  /** A press leaves `activeElement` at the iframe before: only one that was not active at the last look counts. */
  let seen: HTMLElement | null = null;
  /** The element outside of all pages that lost the keyboard last. */
  let own: HTMLElement | null = null;
  const giveBack = (): void => {
    deepActive()?.blur();
    if (own?.isConnected === true && own.checkVisibility()) own.focus({ preventScroll: true });
    if (deepActive() === document.body) giveFocus();
  };
  /** Before another key can come: the page that is to go goes in the event that tells of it. */
  const lost = (): void => {
    const id = activePage(desk);
    // The browser moves the focus after this event. Chromium forgets a move to the page that is undone within it.
    if (id !== null && isInQuestion(own) && taken(desk, id, own)) giveBack();
    setTimeout(look);
  };
  const look = (): void => {
    if (signal.aborted) return;
    const active = deepActive();
    // Its page may have been taken out.
    if (isInQuestion(own) && (active === document.body || activePage(desk) !== null)) return giveBack();
    if (active === seen || active === null) return;
    seen = active;
    const id = activePage(desk);
    // A press in another page, which may come before the time is over, leaves this one active: it took nothing.
    if (id === null || desk.windows.top()?.id === id) return;
    const undo = (): void => {
      if (signal.aborted || deepActive() !== active || desk.windows.top()?.id === id) return;
      taken(desk, id, own);
      giveBack();
    };
    if (desk.takers.isKnown(active)) undo();
    else setTimeout(undo, pressMsMax);
  };
  addEventListener('blur', lost, { signal });
  addEventListener('focusin', () => (seen = null), { signal });
  // Told here of what loses it to a page: a move within one shadow root is not.
  addEventListener(
    'focusout',
    (event) => {
      const [left] = event.composedPath();
      if (left instanceof HTMLElement && !(left instanceof HTMLIFrameElement)) own = left;
    },
    { signal },
  );
  const end = desk.windows.windows.subscribe(() => (seen = deepActive()));
  return () => {
    end();
    ended.abort();
  };
}

/** True: the page was taken out of its window. */
function taken(desk: Desk, id: string, own: HTMLElement | null): boolean {
  const frame = desk.frames.get(id);
  const iframe = frame?.iframe;
  if (frame === undefined || iframe == null) return false;
  const from = isSecretField(own) ? 'secret' : isInQuestion(own) ? 'question' : 'window';
  const isStopped = desk.takers.took(iframe, from, performance.now());
  if (isStopped) frame.stop();
  if (isStopped || from !== 'window') tellTaken(desk, id, own, isStopped);
  return isStopped;
}

/** Sent on the desktop's page: a page of an app says that it has no keyboard, and nothing else has it. */
export const pageWithoutKeyboard = 'page-without-keyboard';

/** The page of the window lost the keyboard, a moment ago. Between two pages nothing else tells the desktop: the one in front gets it back. */
export function keptByFront({ windows, frames }: Pages, id: string): void {
  if (deepActive() === document.body) dispatchEvent(new Event(pageWithoutKeyboard));
  if (document.hasFocus() && isPage(frames, deepActive()) && windows.top()?.id === id) frames.get(id)?.focusContent();
}

/** The page of the window was pressed. Where its word came late, the keyboard was given back: it is the page's. */
export function pressed({ windows, frames, takers }: Pages, id: string): void {
  const frame = frames.get(id);
  // Nothing behind a question can be pressed.
  if (isInQuestion(deepActive())) return;
  if (frame?.iframe != null && takers.isKnown(frame.iframe)) takers.forgive(frame.iframe);
  windows.focus(id);
  const other = [...frames.values()].find(({ iframe }) => iframe !== null && iframe === deepActive());
  // A page of ours tells that it lost the keyboard, and keptByFront gives it on; one that could not be loaded tells nothing.
  if (other === undefined || (other !== frame && !other.hasGreeted)) frame?.focusContent();
}

/** The window whose page the keyboard went to. */
function activePage({ frames }: Pages): string | null {
  const active = deepActive();
  return [...frames].find(([, { iframe }]) => iframe !== null && iframe === active)?.[0] ?? null;
}

/** Browsers leave the element at the page before when another one is pressed. */
const isPage = (frames: Desk['frames'], active: HTMLElement | null): boolean =>
  active !== null && [...frames.values()].some(({ iframe }) => iframe === active);
