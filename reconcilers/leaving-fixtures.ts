import type { LeavingObserved } from './leaving.ts';

/** Of a person who leaves: signed out, their supervisor is up, and nothing of theirs runs. */
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
