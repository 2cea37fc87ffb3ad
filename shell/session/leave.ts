/** Signing out, from any place in the shell. */
import { endSessionAndKey } from './session-key.ts';

/** How the session of this page ended, as the sign-in page says it: the person signed out here, or it ended elsewhere. */
export type Ended = 'left' | 'ended';

/** The sign-in page, which says how the session ended. */
export const toSignIn = (how: Ended): void => location.replace(`/?fim=${how}`);

/** Signs out and loads the sign-in page. */
export async function leave(): Promise<void> {
  await endSessionAndKey();
  toSignIn('left');
}

type Ask = (then: () => void) => void;
let ask: Ask = (then) => then();

/** The desk asks the person first where something would be lost or they could not come back, and calls `then` when they leave all the same. */
export function askBeforeLeaving(by: Ask): void {
  ask = by;
}

/** Of every act that ends the session of this page. */
export const beforeLeaving: Ask = (then) => ask(then);
