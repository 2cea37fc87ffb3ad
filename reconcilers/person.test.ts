/** Status of a person, and the order of actions for one who leaves. */
import { describe, expect, it } from 'vitest';
import { decidePerson, type PersonObserved } from './person.ts';
import { nothingRuns } from './leaving-fixtures.ts';

const ana = { name: 'ana', server: 'casa', generation: 2, leaving: false, session: true, everSignedIn: true };
const reachable = { status: 'reachable', message: 'm' } as const;
const cut = { status: 'unreachable', message: 'cut' } as const;
const loose = 'what runs on casa ends with the last login there, and has no limits';
const seen = { host: reachable, account: true, closed: null, lasts: null, left: null };

describe('a person who stays', () => {
  it.for([
    [{}, {}, 'present', 'True', 'Provisioned', ''],
    [
      { session: false },
      { closed: 'locked' },
      'closed',
      'False',
      'AccountClosed',
      'the account on casa is locked: usermod -U opens it again',
    ],
    [
      { session: false },
      { closed: 'expired' },
      'closed',
      'False',
      'AccountClosed',
      'the account on casa is expired: chage -E -1 opens it again',
    ],
    [{}, { lasts: false }, 'present', 'True', 'LingerBroken', loose],
    [{ session: false }, { lasts: false }, 'away', 'True', 'SessionEnded', ''],
    [{ session: false, everSignedIn: false }, {}, 'away', 'True', 'NeverSignedIn', 'ana has not signed in yet'],
    [{}, { account: false }, 'missing', 'False', 'AccountMissing', 'casa has no account for ana'],
    [{}, { account: null }, 'unknown', 'Unknown', 'NotObservedYet', 'casa was not looked at yet'],
    [{}, { host: { status: 'unknown', message: 'm' } }, 'unknown', 'Unknown', 'NotObservedYet', 'casa was not looked at yet'],
    [{}, { host: cut }, 'unknown', 'Unknown', 'ServerUnreachable', 'casa does not answer: cut'],
  ] as const)('%j %j', ([changes, sees, state, status, reason, message]) => {
    const decision = decidePerson({ ...ana, ...changes }, { ...seen, ...sees }, null, 1_000);
    expect(decision).toMatchObject({ state, reason, message, nextDeadlineMs: null });
    expect(decision.actions).toEqual([]);
    expect(decision.conditions[0]).toEqual({ type: 'Ready', status, reason, message, observedGeneration: 2, sinceMs: 1_000 });
  });

  it.for([
    [reachable, 'True', 'Reachable', 'm'],
    [cut, 'False', 'ServerUnreachable', 'cut'],
    [{ status: 'unknown', message: '' }, 'Unknown', 'NotObservedYet', ''],
  ] as const)('is reached like the server: %j', ([host, status, reason, message]) => {
    const { conditions } = decidePerson(ana, { ...seen, host, lasts: null }, null, 1_000);
    expect(conditions.slice(1)).toEqual([{ type: 'Reachable', status, reason, message, observedGeneration: 2, sinceMs: 1_000 }]);
  });

  it.for([
    [true, 'True', 'Provisioned', ''],
    [false, 'False', 'LingerBroken', loose],
  ] as const)('has an account that lasts: %s', ([lasts, status, reason, message]) => {
    const { conditions } = decidePerson(ana, { ...seen, lasts }, null, 1_000);
    expect(conditions[2]).toEqual({ type: 'Contained', status, reason, message, observedGeneration: 2, sinceMs: 1_000 });
  });

  it('is remembered anew when something changes', () => {
    const { memory } = decidePerson(ana, seen, null, 1_000);
    expect(decidePerson(ana, { ...seen, account: false }, memory, 2_000).memory.since.Ready).toEqual(['False', 2_000]);
  });
});

describe('a person who leaves', () => {
  const left = nothingRuns;
  const stop = (app: string) => ({ kind: 'backend/stop', person: 'ana', app, requestId: 'saida-ana', reason: 'PersonRemoved' });
  const forget = { kind: 'person/forget', person: 'ana' };
  it.for([
    ['waits', { supervisor: 'starting' }, [], 'their supervisor is being started, to know what runs'],
    [
      'is asked about',
      { supervisor: 'down' },
      [{ kind: 'supervisor/ensure', person: 'ana' }],
      'their supervisor is needed to know what runs',
    ],
    ['has apps', { living: ['notas', 'sino'] }, [stop('notas'), stop('sino')], 'their apps end: notas, sino'],
    ['has a supervisor', {}, [{ kind: 'supervisor/end', person: 'ana' }], 'their supervisor ends'],
    ['has packages', { supervisor: 'down', ended: true, packages: ['a', 'b'] }, [], 'their packages go: a, b'],
    ['has nothing', { supervisor: 'down', ended: true }, [forget], 'none of their apps runs: they are forgotten'],
    ['has no account', { account: false, living: ['notas'] }, [forget], 'none of their apps runs: they are forgotten'],
    ['shares it', { shared: true, living: ['notas'] }, [forget], 'none of their apps runs: they are forgotten'],
    [
      'is on a server that was given up',
      { lost: true, supervisor: 'starting', living: ['notas'], packages: ['a'] },
      [{ ...forget, stays: 'what ran there is not ended' }],
      'casa was given up: they are forgotten',
    ],
    ['is not known to have one', { account: null }, [{ kind: 'supervisor/end', person: 'ana' }], 'their supervisor ends'],
  ] as const)('%s', ([, changes, actions, message]) => {
    const decision = decidePerson(ana, { ...seen, left: { ...left, ...changes } }, null, 1_000);
    expect(decision).toMatchObject({ state: 'leaving', reason: 'PersonRemoved', message });
    expect(decision.actions).toEqual(actions);
    expect(decision.conditions[0]?.status).toBe('False');
  });

  it('is signed out first, again until it is done', () => {
    const { actions } = decidePerson(ana, { ...seen, left: { ...left, signedOut: false } }, null, 1_000);
    expect(actions).toEqual([
      { kind: 'person/sign-out', person: 'ana' },
      { kind: 'supervisor/end', person: 'ana' },
    ]);
  });

  it.for([
    ['is to be erased', { toErase: true }, [{ kind: 'person/erase', person: 'ana' }]],
    [
      'was erased on the server, and a supervisor would make its folders anew',
      { erased: true, supervisor: 'down', ended: false },
      [{ kind: 'person/forget', person: 'ana' }],
    ],
    [
      'was not signed out, which also says whether they are to be erased',
      { signedOut: false },
      [{ kind: 'person/sign-out', person: 'ana' }],
    ],
  ] as const)('who %s', ([, changes, actions]) => {
    const gone = { ...left, supervisor: 'down', ended: true } as const;
    expect(decidePerson(ana, { ...seen, left: { ...gone, ...changes } }, null, 1_000).actions).toEqual(actions);
  });

  it('says so when the server does not answer', () => {
    const { message } = decidePerson(ana, { ...seen, host: cut, left: { ...left, supervisor: 'down' } }, null, 1_000);
    expect(message).toBe('their supervisor is needed to know what runs; casa does not answer: cut');
  });
});

it('whose account is closed loses their sessions, also those that begin later; of a server that is away nothing is known', () => {
  const end = [{ kind: 'person/end-sessions', person: 'ana' }];
  const of = (desired: Partial<typeof ana>, observed: Partial<PersonObserved>) =>
    decidePerson({ ...ana, ...desired }, { ...seen, ...observed }, null, 1_000).actions;
  expect([of({}, { closed: 'locked' }), of({ session: false }, { closed: 'locked' }), of({}, {})]).toEqual([end, [], []]);
  expect(of({}, { closed: 'locked', host: { status: 'unreachable', message: 'cut' } })).toEqual([]);
});
