/** Signing out, from any place in the shell. */
import { keptInTab } from '../state/kept.ts';
import { endSessionAndKey } from './session-key.ts';

/** How the session of this page ended, as the sign-in page says it: the person signed out here, or it ended elsewhere. */
export type Ended = 'left' | 'ended';

const endKey = 'svc.fim';

/** For the page that this tab loads next. In its storage and not in the address, so that no link of others says it. */
export const noteEnd = (how: Ended): void => keptInTab.setItem(endKey, how);

/** Once; null where this tab had no session. */
export function takeEnd(): Ended | null {
  const how = keptInTab.getItem(endKey);
  keptInTab.removeItem(endKey);
  return how === 'left' || how === 'ended' ? how : null;
}

/** After the session ended by what the person did here: the sign-in page. */
export function toSignIn(): void {
  noteEnd('left');
  location.assign('/');
}

/** Signs out and loads the sign-in page. */
export async function leave(): Promise<void> {
  await endSessionAndKey();
  toSignIn();
}

type Ask = (then: () => void) => void;
let ask: Ask = (then) => then();

/** The desk asks the person first where something would be lost or they could not come back, and calls `then` when they leave all the same. */
export function askBeforeLeaving(by: Ask): void {
  ask = by;
}

/** Called before every act that ends the session of this page. */
export const beforeLeaving: Ask = (then) => ask(then);
