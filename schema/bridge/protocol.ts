/**
 * The bridge protocol between the shell and the page of an app. Rules 4.3 and 6 name the verbs (verbs.ts); codes and transport are ours. Each window
 * has one MessagePort:
 *
 *   page  -> window.parent : { svc: 'ola', v: 1 }
 *   shell -> page          : { svc: 'porta', v: 1 } and the port; only after event.source is that window's iframe and event.origin the app's.
 *   page  -> port          : { id, verbo, args }                    a request; `args` is an object, {} when the verb takes none
 *   shell -> port          : { id, ok: true, valor } | { id, ok: false, erro: { code, message, status?, retryAfterMs? } }
 *   shell -> port          : { evento, dados, n? }                  the events of the table; with `n`: again for the next page, until 'recebido'
 *   shell -> port          : { evento: 'renovar', dados: { o } }   `svc dev`: the SDK loads the page again ('page') or its style sheets ('styles')
 *   page  -> port          : { evento: 'ponteiro' }                 a pointerdown in the page: the shell raises the window
 *   page  -> port          : { evento: 'desfoque' }                 the page lost the keyboard: it gets it back while its window is in front
 *   page  -> port          : { evento: 'tecla', dados: { tecla } }  a shortcut of the shell pressed in the page (see `shellKeys`)
 *   page  -> port          : { evento: 'recebido', dados: { n } }   a listener of the page ran for the event that carried this number
 *
 * The portal's error panel in such a frame has no port; it says who it is, and asks for a key of the shell:
 *
 *   panel -> window.parent : { svc: 'painel', v: 1, tecla? }
 *   shell -> panel         : { svc: 'aparencia', v: 1, dados }       'dados' as in 'tema'; again whenever it changes
 *
 * A second 'ola' (the page was reloaded) replaces the port, and the old page's port is dead; of many within 100 ms the first and the last
 * get one. The app never says who it is: the window that it is in does. A page gets 1,000 messages at once and 400 a second; what is more is
 * refused, or dropped where nothing waits for it. A drag begun in the page travels as screen coordinates: client coordinates move with the
 * window, and a pointer that leaves the iframe would lose the shell's events. 'ponteiro' and 'tecla' exist because neither crosses the border
 * of an iframe by itself. A page without the SDK works too: the shell notices clicks in it by its own blur and `document.activeElement`, and
 * the shell's keys work only while the shell has the focus.
 */

import { letterOf } from './key-letter.ts';

/** Keys that belong to the shell even while a page has the focus. `Alt`: let go, which ends the switching of windows. */
export const shellKeys = ['Control+k', 'Meta', 'F6', 'Shift+F6', 'Alt+q', 'Alt+Shift+q', 'Alt'] as const;
export type ShellKey = (typeof shellKeys)[number];

/** The fields of a KeyboardEvent that decide. */
interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

/** Null: a key that is not the shell's. Meta is the shell's when it is pressed alone, which shows when it is up again. */
export function shellKeyOf(pressed: Pressed): Exclude<ShellKey, 'Meta' | 'Alt'> | null {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = pressed;
  if (key === 'F6') return shiftKey ? 'Shift+F6' : 'F6';
  const letter = letterOf(pressed);
  if (altKey && !ctrlKey && !metaKey && letter === 'q') return shiftKey ? 'Alt+Shift+q' : 'Alt+q';
  return ctrlKey && !altKey && !shiftKey && letter === 'k' ? 'Control+k' : null;
}
