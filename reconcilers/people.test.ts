import { expect, test } from 'vitest';
import { decidePeople, type PeopleObserved } from './people.ts';

const desired = { generation: 3, server: 'sirius', group: 'alunos' };
const seen: PeopleObserved = { host: { status: 'reachable', message: '' }, seen: { kind: 'seen' }, count: 40, leftOut: [], waiting: null };
const out = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, why: 'it is root' }));

test.for([
  ['seen', {}, 'listed', 'True', 'Listed', '40 people'],
  ['of one', { count: 1 }, 'listed', 'True', 'Listed', '1 person'],
  [
    'with three left out',
    { leftOut: out.slice(0, 3) },
    'listed',
    'True',
    'Listed',
    '40 people; left out: a (it is root), b (it is root), c (it is root)',
  ],
  [
    'with five left out',
    { leftOut: out },
    'listed',
    'True',
    'Listed',
    '40 people; left out: a (it is root), b (it is root), c (it is root), and 2 more',
  ],
  ['held', { waiting: 'removes all' }, 'waiting', 'False', 'PendingPrune', 'removes all; nobody is removed until svc apply --prune'],
  [
    'of a server that is away',
    { host: { status: 'unreachable', message: 'no route' }, waiting: 'removes all' },
    'unknown',
    'Unknown',
    'ServerUnreachable',
    'sirius does not answer: no route; no change for its 40 people',
  ],
  [
    'of a server that was not looked at',
    { host: { status: 'unknown', message: '' } },
    'unknown',
    'Unknown',
    'NotObservedYet',
    'sirius was not asked yet; no change for its 40 people',
  ],
  [
    'not asked yet',
    { seen: null, count: 0 },
    'unknown',
    'Unknown',
    'NotObservedYet',
    'sirius was not asked yet; nobody is a person by it yet',
  ],
  [
    'without the group',
    { seen: { kind: 'no-group' }, count: 1 },
    'unknown',
    'Unknown',
    'GroupMissing',
    'sirius has no group alunos; no change for its 1 person',
  ],
  [
    'unreadable',
    { seen: { kind: 'unreadable', message: 'getent broke' } },
    'unknown',
    'Unknown',
    'ListUnreadable',
    'getent broke; no change for its 40 people',
  ],
] as const)('a list that is %s', ([, over, state, status, reason, message]) => {
  const first = decidePeople(desired, { ...seen, ...over }, null, 1_000);
  const ready = { type: 'Ready', status, reason, message, observedGeneration: 3, sinceMs: 1_000 };
  expect(first).toMatchObject({ actions: [], state, reason, message, conditions: [ready], nextDeadlineMs: null });
  const again = decidePeople(desired, { ...seen, ...over }, first.memory, 2_000);
  expect(again).toEqual(first);
});
