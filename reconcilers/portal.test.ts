import { expect, it } from 'vitest';
import { decidePortal } from './portal.ts';

const held = ['Backend/a', 'Backend/b', 'Backend/c', 'Backend/d', 'Backend/e'];
const prune = 'nothing is removed until svc apply --prune: Backend/a, Backend/b, Backend/c, Backend/d, Backend/e';
const fine = { errors: [], held: [], why: null, waiting: [] };

it.for([
  ['in force', {}, 'listening', 'Listening', 'True', ''],
  [
    'broken',
    { errors: ['a.yaml:1: bad\n  caret'], held },
    'invalid',
    'Invalid',
    'False',
    'the last good state stays in force: a.yaml:1: bad',
  ],
  [
    'broken thrice',
    { errors: ['one', 'two', 'three'] },
    'invalid',
    'Invalid',
    'False',
    'the last good state stays in force: one (and 2 more)',
  ],
  ['held', { held, why: 'removes all' }, 'waiting', 'PendingPrune', 'False', `removes all; ${prune}`],
  ['held, with more', { held: [...held, 'Backend/f'], why: 'removes all' }, 'waiting', 'PendingPrune', 'False', `removes all; ${prune}…`],
  ['held for no reason that is told', { held }, 'waiting', 'PendingPrune', 'False', `; ${prune}`],
  [
    'in force but for what is read at the start',
    { waiting: ['listen', 'url'] },
    'waiting',
    'RestartNeeded',
    'True',
    'listen, url: as before until the portal is started again',
  ],
] as const)('a folder that is %s', ([, changes, state, reason, status, message]) => {
  const first = decidePortal({ generation: 7 }, { ...fine, ...changes }, null, 1_000);
  const ready = { type: 'Ready', status, reason, message, observedGeneration: 7, sinceMs: 1_000 };
  expect(first).toMatchObject({ actions: [], state, reason, message, conditions: [ready], nextDeadlineMs: null });
  expect(first.actions).toEqual([]);
  const again = decidePortal({ generation: 7 }, { ...fine, ...changes }, first.memory, 2_000);
  expect([again.memory, again.conditions]).toEqual([first.memory, first.conditions]);
  expect(again.memory).toBe(first.memory);
});

it('a folder that becomes broken says since when', () => {
  const { memory } = decidePortal({ generation: 7 }, fine, null, 1_000);
  const broken = decidePortal({ generation: 7 }, { ...fine, errors: ['one'] }, memory, 2_000);
  expect([broken.conditions[0]?.sinceMs, broken.memory.since]).toEqual([2_000, { Ready: ['False', 2_000] }]);
});
