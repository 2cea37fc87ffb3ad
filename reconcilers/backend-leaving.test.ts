/** An app whose person leaves: reconcilers/leaving.ts ends it, and its own decision orders nothing beside. */
import { describe, expect, it } from 'vitest';
import { decideBackend } from './backend.ts';
import { acts, alive, answering, desired, intent, observed, stopped } from './backend-fixtures.ts';

const leaves = desired({ leaving: true });

describe('an app whose person leaves', () => {
  it.for([
    ['that a document pins', { document: 'ligado' }, stopped()],
    ['of a service', { sessionSinceMs: 1_500 }, stopped()],
    [
      'that failed and whose code is another one now',
      { installedHash: 'hash-2' },
      stopped({ state: 'failed', reason: 'Crashed', wanted: true }),
    ],
    ['that somebody asked to start', { intent: intent('start') }, stopped()],
    ['that somebody asked to restart', { intent: intent('restart') }, alive()],
    ['whose windows are closed', { windows: { open: 0, zeroSinceMs: 1 } }, alive()],
  ] as const)('%s gets no order', ([, changes, snapshot]) => {
    const first = decideBackend({ ...leaves, ...changes }, observed(snapshot), answering(), 600_000);
    const orders = acts(first).filter((act) => !act.startsWith('probe'));
    expect(orders).toEqual([]);
  });
});
