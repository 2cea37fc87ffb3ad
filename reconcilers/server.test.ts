import { expect, it } from 'vitest';
import { decidePerson } from './person.ts';
import { decideServer } from './server.ts';

const server = { name: 'casa', generation: 3 };

it.for([
  ['reachable', 'ready', 'Reachable', 'True'],
  ['unreachable', 'unknown', 'ServerUnreachable', 'False'],
  ['unknown', 'unknown', 'NotObservedYet', 'Unknown'],
] as const)('a server that is %s is %s (%s)', ([status, state, reason, truth]) => {
  const decision = decideServer(server, { host: { status, message: 'm' } }, null, 1_000);
  expect([decision.state, decision.reason, decision.actions]).toEqual([state, reason, []]);
  expect(decision.conditions).toEqual(
    ['Ready', 'Reachable'].map((type) => ({ type, status: truth, reason, message: 'm', observedGeneration: 3, sinceMs: 1_000 })),
  );
  const again = decideServer(server, { host: { status, message: 'm' } }, decision.memory, 2_000);
  expect(again.memory).toBe(decision.memory);
  expect(again.conditions[0]?.sinceMs).toBe(1_000);
});

it.for([
  ['with a session', 'reachable', true, true, 'present', 'True', 'Provisioned'],
  ['without a session', 'reachable', true, false, 'away', 'True', 'SessionEnded'],
  ['without an account', 'reachable', false, true, 'missing', 'False', 'Invalid'],
  ['whose account was not looked at', 'reachable', null, true, 'unknown', 'Unknown', 'NotObservedYet'],
  ['on a server that does not answer', 'unreachable', true, true, 'unknown', 'Unknown', 'ServerUnreachable'],
] as const)('a person %s', ([, status, account, session, state, ready, reason]) => {
  const desired = { name: 'ana', server: 'casa', generation: 1, session };
  const decision = decidePerson(desired, { host: { status, message: 'm' }, account }, null, 1_000);
  expect([decision.state, decision.conditions[0]?.status, decision.reason]).toEqual([state, ready, reason]);
  expect(decidePerson(desired, { host: { status, message: 'm' }, account }, decision.memory, 2_000).memory).toBe(decision.memory);
});
