/** Troubles that an app recovers from by itself: a damaged env file, a process that does not answer. */
import { expect, it } from 'vitest';
import { acts, alive, answering, desired, intent, observed, stopped } from './backend-fixtures.ts';
import { decideBackend } from './backend.ts';

it('a damaged env file is written anew by one start, and after a second failure only ten minutes later', () => {
  const failed = stopped({ state: 'failed', reason: 'EnvFileDamaged', message: 'in any words', wanted: true, requestId: 'r0' });
  const first = decideBackend(desired(), observed(failed), null, 1_000);
  expect([acts(first), first.state]).toEqual([['start rewritten-1000'], 'starting']);
  // Nobody asked for it: what was counted since somebody did goes on.
  expect(first.actions).toEqual([expect.objectContaining({ order: { pinned: false, requestId: 'rewritten-1000', isMend: true } })]);
  const again = { ...failed, requestId: 'rewritten-1000' };
  const second = decideBackend(desired(), observed(again), first.memory, 30_000);
  expect([acts(second), second.state]).toEqual([[], 'failed']);
  expect(acts(decideBackend(desired(), observed(again), second.memory, 600_000))).toEqual([]);
  expect(acts(decideBackend(desired(), observed(again), second.memory, 601_000))).toEqual(['start rewritten-601000']);
  // The app came up meanwhile, so the damage was mended; the next damage counts anew.
  const mended = decideBackend(desired(), observed(alive({ requestId: 'rewritten-1000' })), first.memory, 5_000);
  expect(acts(decideBackend(desired(), observed(again), mended.memory, 30_000))).toEqual(['start rewritten-30000']);
});

it.for([
  ['whose wish was deleted', 'WishDeleted', 'WishDeleted'],
  ['that its person stopped', 'StoppedByPerson', 'StoppedByPerson'],
  ['that nobody started', 'NeverStarted', 'NeverStarted'],
] as const)('an app %s stays that when another supervisor, which knows of no start, tells of it', ([, reason, told]) => {
  const before = decideBackend(desired(), observed(stopped({ reason })), null, 1_000);
  const after = decideBackend(desired(), observed(stopped({ reason: 'NeverStarted' })), before.memory, 2_000);
  expect([after.state, after.reason, acts(after)]).toEqual(['stopped', told, []]);
  // Again, and by what is remembered alone.
  expect(decideBackend(desired(), observed(stopped()), after.memory, 3_000).reason).toBe(told);
  expect(decideBackend(desired(), observed(null), after.memory, 3_000).reason).toBe(told);
});

it('a start that was ordered while the home takes no more says so, and a stop does not', () => {
  const full = { disk: "the home /home/ana can't be written: ENOSPC" };
  const asked = desired({ intent: intent('start') });
  expect(decideBackend(asked, observed(stopped(), full), null, 1_000)).toMatchObject({
    state: 'starting',
    reason: 'DiskFull',
    message: full.disk,
  });
  expect(decideBackend(asked, observed(stopped()), null, 1_000)).toMatchObject({
    reason: 'StartRequested',
    message: 'the start was ordered',
  });
  const ends = decideBackend(desired({ intent: intent('stop') }), observed(alive(), full), answering(), 1_000);
  expect([ends.state, ends.message]).toEqual(['stopping', 'the stop was ordered']);
});
