/** Drags and keys of the page that belong to its window. */
import { shellKeyOf } from '../../schema/bridge/protocol.ts';
import type { Bridge } from './bridge.ts';
import type { Args } from './requests.ts';

const phase = (fase: string, event: PointerEvent): { readonly fase: string; readonly telaX: number; readonly telaY: number } => ({
  fase,
  telaX: event.screenX,
  telaY: event.screenY,
});

/**
 * A drag of the window that begins in the page's own title bar. Called with the pointerdown event; screen coordinates, because
 * the page's own ones move with the window. The pointer is captured so that no move is lost at the edge of the frame.
 */
export function drag(bridge: Bridge, event: PointerEvent): Promise<unknown> {
  const done = bridge.ask('window.arrastar', phase('inicio', event));
  const target = event.target instanceof Element ? event.target : document.documentElement;
  if (!bridge.inside) return done;
  try {
    target.setPointerCapture(event.pointerId);
  } catch {
    // The pointer is up already: the end below still comes.
  }
  const ended = new AbortController();
  const options = { signal: ended.signal };
  let frame = 0;
  let last = event;
  const mine = (handler: (moved: PointerEvent) => void) => (moved: Event) => {
    if (moved instanceof PointerEvent && moved.pointerId === event.pointerId) handler(moved);
  };
  const say = (fase: string, moved: PointerEvent): void => void bridge.ask('window.arrastar', phase(fase, moved)).catch(() => undefined);
  const end = (fase: string, moved: PointerEvent): void => {
    ended.abort();
    cancelAnimationFrame(frame);
    say(fase, moved);
  };
  const move = (moved: PointerEvent): void => {
    // Released where no event reached us (out of the frame, when the browser could not keep the capture): the drag is over.
    if (moved.buttons === 0) return end('fim', moved);
    last = moved;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      say('mover', last);
    });
  };
  const over = mine((moved) => end('fim', moved));
  target.addEventListener('pointermove', mine(move), options);
  target.addEventListener('pointerup', over, options);
  target.addEventListener('lostpointercapture', over, options);
  target.addEventListener(
    'pointercancel',
    mine((moved) => end('cancelar', moved)),
    options,
  );
  return done;
}

/** Links to other origins go to the desktop, which knows who opens them; not those that the page handles itself. Decision: docs/decisions/0224-links.md */
export function watchLinks(bridge: Bridge): void {
  addEventListener('click', (event) => {
    const held = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!bridge.connected || !event.isTrusted || event.defaultPrevented || event.button !== 0 || held) return;
    const link = event.composedPath().find((part) => part instanceof HTMLAnchorElement && part.href !== '');
    if (!(link instanceof HTMLAnchorElement) || link.hasAttribute('download')) return;
    if (!/^https?:$/.test(link.protocol) || link.origin === location.origin) return;
    event.preventDefault();
    bridge.ask('links.abrir', { endereco: link.href }).catch((problem: unknown) => console.info(problem));
  });
}

/** By then the desktop has raised the window that was pressed, or has the keyboard itself. */
const lostMs = 100;

/** Keys of the shell, that the page was touched, and that it lost the keyboard. */
export function watchInput(bridge: Bridge): void {
  let metaAlone = false;
  const options = { capture: true };
  addEventListener(
    'keydown',
    (event) => {
      metaAlone = event.key === 'Meta';
      const tecla = shellKeyOf(event);
      if (!bridge.connected || tecla === null || event.repeat) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      bridge.emit('tecla', { tecla });
    },
    options,
  );
  addEventListener(
    'keyup',
    (event) => {
      if (event.key === 'Meta' && metaAlone) bridge.emit('tecla', { tecla: 'Meta' });
      // The page may have the keyboard still, or again, when the windows are switched.
      if (event.key === 'Alt') bridge.emit('tecla', { tecla: 'Alt' });
    },
    options,
  );
  addEventListener(
    'pointerdown',
    () => {
      metaAlone = false;
      bridge.emit('ponteiro');
    },
    options,
  );
  // For good, and not to a frame of the page's own.
  const isLost = (): boolean => !document.hasFocus() && !(document.activeElement instanceof HTMLIFrameElement);
  const tellLost = (): void => void setTimeout(() => isLost() && bridge.emit('desfoque'), lostMs);
  addEventListener('blur', tellLost);
  // A finger that moves brings the window to the front, and the browser gives it no focus.
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, tellLost, options);
}

/** Time around a focus change of the frame in which an element's own loss of focus counts as caused by it. */
const turnMs = 200;
/** By then the page knows whether it has the focus: the news come one by one. */
const settledMs = 50;

/**
 * When the frame loses the focus, a browser takes it from what had it in the page, too, and does not give it back with the frame.
 * Decision: docs/decisions/0320-where-the-keyboard-is.md
 */
export function keepFocus(): void {
  let left: HTMLElement | null = null;
  let turnedMs = -Infinity;
  // The page itself moves the focus then.
  let isPressed = false;
  const options = { capture: true };
  const giveBack = (): void => {
    const isFree = document.hasFocus() && document.activeElement === document.body;
    if (!isPressed && isFree && left?.isConnected === true) left.focus({ preventScroll: true });
  };
  const turn = (): void => {
    turnedMs = performance.now();
    // After what the browser itself gives the focus to, as by the Tab key.
    setTimeout(giveBack);
    setTimeout(giveBack, settledMs);
  };
  addEventListener('focus', turn);
  addEventListener('blur', turn);
  addEventListener('pointerdown', () => (isPressed = true), options);
  // A release outside of the frame may be told to nobody here: a key, or a pointer that moves with nothing pressed, shows that it is over.
  for (const type of ['pointerup', 'pointercancel', 'keydown']) addEventListener(type, () => (isPressed = false), options);
  addEventListener('pointermove', ({ buttons }) => buttons === 0 && (isPressed = false), options);
  addEventListener('focusin', () => (left = null), options);
  addEventListener(
    'focusout',
    (event) => {
      const [target] = event.composedPath();
      const lost = target instanceof HTMLElement && event.relatedTarget === null && !isPressed ? target : null;
      left = lost;
      if (performance.now() - turnedMs < turnMs) setTimeout(giveBack, settledMs);
      setTimeout(() => {
        if (!document.hasFocus() || left !== lost) return;
        // The frame had the focus again in between, and was busy.
        if (performance.now() - turnedMs < 2 * turnMs) giveBack();
        left = null;
      }, turnMs);
    },
    options,
  );
}

/** Under `svc dev` a changed page is loaded again where it is; changed style sheets take the place of the old ones once they are there. */
export function followDev(bridge: Bridge): void {
  bridge.on('renovar', ({ o }: { readonly o: unknown }) => {
    if (o !== 'styles') return location.reload();
    for (const old of document.querySelectorAll<HTMLLinkElement>('link[rel~=stylesheet][href]')) {
      const url = new URL(old.href);
      if (url.origin !== location.origin) continue;
      url.searchParams.set('svc-dev', String(Date.now()));
      const fresh = old.cloneNode() as HTMLLinkElement;
      fresh.href = url.href;
      fresh.onload = fresh.onerror = () => old.remove();
      old.after(fresh);
    }
  });
}

/** `janela.naoSalvo`, said again at each further port: the desktop forgets it with the one before. */
export function createUnsaved(bridge: Bridge): (naoSalvo: boolean, opcoes?: Args) => Promise<unknown> {
  let last: Args = {};
  const say = async (): Promise<unknown> => await bridge.ask('janela.naoSalvo', last);
  const follow = async (): Promise<void> => {
    await bridge.nextPort();
    if (last['naoSalvo'] === true) say().catch(() => undefined);
    await follow();
  };
  void follow();
  return async (naoSalvo, opcoes) => {
    last = { ...opcoes, naoSalvo };
    return await say();
  };
}
