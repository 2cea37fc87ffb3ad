import type { LeavingObserved } from './leaving.ts';

/** A leaving person: signed out, the supervisor is up, and none of their apps runs. */
export const nothingRuns: LeavingObserved = {
  signedOut: true,
  lost: false,
  shared: false,
  account: true,
  supervisor: 'up',
  living: [],
  ended: false,
  packages: [],
};
