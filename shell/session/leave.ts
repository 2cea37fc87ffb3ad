/** Signing out, from any place in the shell. */
import { endSessionAndKey } from './session-key.ts';

/** Signs out and loads the sign-in page. */
export async function leave(): Promise<void> {
  await endSessionAndKey();
  location.assign('/');
}

type Ask = (then: () => void) => void;
let ask: Ask = (then) => then();

/** The desk asks the person first where something is not saved, and calls `then` when they leave all the same. */
export function askBeforeLeaving(by: Ask): void {
  ask = by;
}

/** Of every act that ends the session of this page. */
export const beforeLeaving: Ask = (then) => ask(then);
