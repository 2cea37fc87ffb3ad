/**
 * Keys of the desktop that are pressed while its page asks who is signed in. The last one is done once the desktop is there; Escape takes it
 * back. F6 and Alt+Q are not kept: there are no windows yet.
 */
import { shellKeyOf } from '../../schema/bridge/protocol.ts';
import type { Desk } from './desk.ts';
import { isHelpKey, pressShellKey } from './keys.ts';
import { openHelp } from './built-in.ts';

type EarlyKey = 'launcher' | 'help';

/** Listens on the page. Returns the function that ends it, and does the key on the desk; null: there is no desk. */
export function listenEarlyKeys(): (desk: Desk | null) => void {
  let last: EarlyKey | null = null;
  let metaAlone = false;
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  const keyDown = (event: KeyboardEvent): void => {
    metaAlone = event.key === 'Meta';
    if (event.key === 'Escape') last = null;
    const key = isHelpKey(event) ? 'help' : shellKeyOf(event) === 'Control+k' ? 'launcher' : null;
    if (key === null) return;
    // The browser has a use of its own for it.
    event.preventDefault();
    last = key;
  };
  const keyUp = ({ key }: KeyboardEvent): void => {
    if (key === 'Meta' && metaAlone) last = 'launcher';
    metaAlone = false;
  };
  addEventListener('keydown', keyDown, options);
  addEventListener('keyup', keyUp, options);
  return (desk) => {
    ended.abort();
    if (desk === null || last === null) return;
    if (last === 'help') openHelp(desk);
    else pressShellKey(desk, 'Control+k');
    last = null;
  };
}
