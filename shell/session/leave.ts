/** Signing out, from wherever it was asked for. */
import { endSessionAndKey } from './session-key.ts';

/** Signs out and begins anew at the sign-in page. */
export async function leave(): Promise<void> {
  await endSessionAndKey();
  location.assign('/');
}
