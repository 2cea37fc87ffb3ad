/** Signing out, from any place in the shell. */
import { endSessionAndKey } from './session-key.ts';

/** Signs out and loads the sign-in page. */
export async function leave(): Promise<void> {
  await endSessionAndKey();
  location.assign('/');
}
