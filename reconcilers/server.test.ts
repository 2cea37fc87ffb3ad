import { expect, it } from 'vitest';
import { decidePerson } from './person.ts';
import { decideServer } from './server.ts';

const local = { kit: { status: 'unknown', message: '' }, busy: null, failure: null, occupied: false } as const;
const server = { name: 'casa', generation: 3, leaving: false, lost: false, kit: null };

it.for([
  ['reachable', 'ready', 'Reachable', 'True'],
  ['unreachable', 'unknown', 'ServerUnreachable', 'False'],
  ['unknown', 'unknown', 'NotObservedYet', 'Unknown'],
] as const)('a server that is %s is %s (%s)', ([status, state, reason, truth]) => {
  const decision = decideServer(server, { ...local, host: { status, message: 'm' } }, null, 1_000);
  expect([decision.state, decision.reason, decision.actions]).toEqual([state, reason, []]);
  expect(decision.conditions).toEqual(
    ['Ready', 'Reachable'].map((type) => ({ type, status: truth, reason, message: 'm', observedGeneration: 3, sinceMs: 1_000 })),
  );
  const again = decideServer(server, { ...local, host: { status, message: 'm' } }, decision.memory, 2_000);
  expect(again.memory).toBe(decision.memory);
  expect(again.conditions[0]?.sinceMs).toBe(1_000);
});

it('goes once nothing on it is left, and says of a machine that was given up what stays', () => {
  const host = { status: 'unreachable', message: 'm' } as const;
  const of = (lost: boolean, occupied: boolean) =>
    decideServer({ ...server, leaving: true, lost }, { ...local, host, occupied }, null, 1_000);
  const forget = { kind: 'object/forget', key: 'Server/casa' };
  expect(of(false, false).actions).toEqual([forget]);
  expect(of(true, false).actions).toEqual([{ ...forget, stays: 'nothing on it is ended or removed' }]);
  for (const lost of [false, true]) {
    const { actions, state, message } = of(lost, true);
    expect([actions, state, message]).toEqual([[], 'leaving', 'its people and packages leave first; casa does not answer: m']);
  }
});

it.for([
  ['with a session', 'reachable', true, null, true, 'present', 'True', 'Provisioned'],
  ['with a session on a server where it lasts', 'reachable', true, true, true, 'present', 'True', 'Provisioned'],
  ['whose account does not last', 'reachable', true, false, true, 'present', 'True', 'LingerBroken'],
  ['without a session', 'reachable', true, false, false, 'away', 'True', 'SessionEnded'],
  ['who never signed in', 'reachable', true, false, false, 'away', 'True', 'NeverSignedIn'],
  ['without an account', 'reachable', false, null, true, 'missing', 'False', 'AccountMissing'],
  ['whose account was not looked at', 'reachable', null, null, true, 'unknown', 'Unknown', 'NotObservedYet'],
  ['on a server that does not answer', 'unreachable', true, false, true, 'unknown', 'Unknown', 'ServerUnreachable'],
] as const)('a person %s', ([, status, account, lasts, session, state, ready, reason]) => {
  const desired = { name: 'ana', server: 'casa', generation: 1, leaving: false, session, everSignedIn: reason !== 'NeverSignedIn' };
  const observed = { host: { status, message: 'm' }, account, closed: null, lasts, left: null };
  const decision = decidePerson(desired, observed, null, 1_000);
  expect([decision.state, decision.conditions[0]?.status, decision.reason]).toEqual([state, ready, reason]);
  expect(decidePerson(desired, observed, decision.memory, 2_000).memory).toBe(decision.memory);
  const contained = decision.conditions.find(({ type }) => type === 'Contained')?.status;
  expect(contained).toBe(status === 'unreachable' || lasts === null ? undefined : lasts ? 'True' : 'False');
});
