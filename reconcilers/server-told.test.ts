/** Results of a decision about a server: sentence, conditions and deadline. */
import { describe, expect, it } from 'vitest';
import { decideServer, withoutSystemd, type KitObservation, type ServerDesired, type ServerObserved } from './server.ts';

const kit = { id: 'new', removed: false, held: null, pending: null, origins: 'subdomain' } as const;
const desired: ServerDesired = { name: 'sirius', generation: 4, leaving: false, lost: false, kit };
const wants = (changes: Partial<NonNullable<ServerDesired['kit']>>): ServerDesired => ({ ...desired, kit: { ...kit, ...changes } });
const ana = { name: 'ana', found: true, linger: true, manager: true, key: true };
const bia = { ...ana, name: 'bia' };
const seen = (changes: Partial<Extract<KitObservation, { status: 'seen' }>> = {}): KitObservation => ({
  status: 'seen',
  rival: null,
  id: 'new',
  origins: 'subdomain',
  key: true,
  accounts: [ana],
  ...changes,
});
const sees = (changes: Partial<ServerObserved> = {}): ServerObserved => ({
  host: { status: 'reachable', message: 'm' },
  occupied: false,
  kit: seen(),
  busy: null,
  failure: null,
  ...changes,
});
const drain = { server: 'sirius', deadlineMs: null };
const away = { status: 'unreachable', message: 'cut' } as const;
const busy = (act: 'kit' | 'accounts') => ({ act, message: 'at work' });
const blind = (message: string) => ({ status: 'unknown', message }) as const;

describe('a server says', () => {
  it.for([
    [desired, sees(), 'ready', 'True', 'm'],
    [{ ...desired, kit: null }, sees({ kit: seen({ id: 'old' }) }), 'ready', 'True', 'm'],
    [{ ...desired, kit: null }, sees({ kit: blind('refused') }), 'ready', 'True', 'm'],
    [{ ...desired, kit: null }, sees({ host: away, kit: blind('refused') }), 'unknown', 'False', 'cut'],
    [desired, sees({ kit: blind('refused') }), 'ready', 'True', 'm'],
    [desired, sees({ host: away, kit: blind('refused') }), 'unknown', 'False', 'refused'],
    [desired, sees({ host: away, kit: blind('') }), 'unknown', 'False', 'cut'],
    [desired, sees({ busy: busy('kit') }), 'installing', 'True', 'at work'],
    [desired, sees({ busy: busy('accounts') }), 'ready', 'True', 'm'],
    [desired, sees({ busy: busy('accounts'), kit: seen({ id: null }) }), 'installing', 'True', 'at work'],
    [desired, sees({ busy: busy('accounts'), kit: seen({ id: 'old' }), host: away }), 'installing', 'False', 'at work'],
    [wants({ id: null }), sees({ busy: busy('accounts'), kit: seen({ id: 'old' }) }), 'ready', 'True', 'm'],
    [wants({ id: null }), sees({ busy: busy('accounts'), kit: seen({ id: null }) }), 'installing', 'True', 'at work'],
    [
      wants({ held: 'new' }),
      sees({ busy: busy('accounts'), kit: seen({ id: 'old' }) }),
      'ready',
      'True',
      'the server kit is held at old; svc server add takes new again',
    ],
    [wants({ held: 'other' }), sees({ busy: busy('accounts'), kit: seen({ id: 'old' }) }), 'installing', 'True', 'at work'],
    [wants({ pending: 'rollback' }), sees(), 'outdated', 'True', 'the server kit before comes back'],
    [wants({ pending: 'remove' }), sees(), 'removed', 'False', 'the server kit is taken off'],
    [wants({ removed: true }), sees(), 'removed', 'False', 'the server kit was taken off; svc server add brings it back'],
    [desired, sees({ kit: seen({ rival: 'another portal orders it' }) }), 'ready', 'True', 'another portal orders it'],
    [desired, sees({ kit: seen({ key: false, rival: 'another portal orders it' }) }), 'ready', 'True', 'another portal orders it'],
    [desired, sees({ kit: seen({ rival: 'another portal orders it' }), host: away }), 'unknown', 'False', 'cut'],
    [desired, sees({ kit: seen({ systemd: false }), host: away }), 'unknown', 'False', 'cut'],
    [desired, sees({ kit: seen({ id: null }) }), 'missing', 'False', 'the server kit new is not there'],
    [wants({ id: null }), sees({ kit: seen({ id: null }) }), 'missing', 'False', 'the server kit is not there'],
    [desired, sees({ kit: seen({ id: 'old' }) }), 'outdated', 'True', "the server kit is old, the portal's is new"],
    [desired, sees({ kit: seen({ id: 'old' }), host: away }), 'outdated', 'False', "the server kit is old, the portal's is new"],
    [wants({ id: null }), sees({ kit: seen({ id: 'old' }) }), 'ready', 'True', 'm'],
    [wants({ held: 'new' }), sees(), 'ready', 'True', 'm'],
    [wants({ id: null, held: 'other' }), sees({ kit: seen({ id: 'old' }) }), 'ready', 'True', 'm'],
    [wants({ id: null, held: 'other' }), sees({ busy: busy('accounts'), kit: seen({ id: 'old' }) }), 'ready', 'True', 'm'],
    [
      desired,
      sees({
        kit: seen({
          accounts: [
            { ...ana, linger: false },
            { ...bia, manager: false },
          ],
        }),
      }),
      'ready',
      'True',
      'no lasting service manager for 2 accounts: ana, bia',
    ],
    [
      desired,
      sees({ kit: seen({ accounts: [{ ...ana, key: false }, bia] }) }),
      'ready',
      'True',
      'the key of the portal is not there for ana',
    ],
    [desired, sees({ kit: seen({ key: false }) }), 'ready', 'True', 'the key of the portal is not there for the server'],
    [
      desired,
      sees({ kit: seen({ accounts: Array.from({ length: 13 }, (_, n) => ({ ...ana, name: `p${n}`, linger: false })) }) }),
      'ready',
      'True',
      'no lasting service manager for 13 accounts: p0, p1, p2, p3, p4 and 8 more',
    ],
    [desired, sees({ kit: seen({ clock: 'its clock is an hour ahead' }) }), 'ready', 'True', 'its clock is an hour ahead'],
    [
      desired,
      sees({ kit: seen({ key: false, clock: 'its clock is an hour ahead' }) }),
      'ready',
      'True',
      'the key of the portal is not there for the server',
    ],
    [desired, sees({ kit: seen({ origins: 'path' }) }), 'ready', 'True', 'apps are to be served by subdomain'],
    [{ ...desired, drain }, sees({ running: 2 }), 'draining', 'True', '2 apps run there until nobody uses them'],
    [
      { ...desired, drain: { ...drain, deadlineMs: 0 } },
      sees({ running: 1 }),
      'draining',
      'True',
      '1 app runs there until 1970-01-01T00:00:00.000Z at the latest',
    ],
    [{ ...desired, drain }, sees({ running: 0 }), 'drained', 'True', 'nothing runs there, and nothing is started'],
    [{ ...desired, drain }, sees({ host: away, running: 0 }), 'unknown', 'False', 'cut'],
    [{ ...desired, leaving: true }, sees({ occupied: true }), 'leaving', 'False', 'its people and packages leave first'],
    [{ ...desired, leaving: true }, sees(), 'leaving', 'False', 'no person and no package is there any more'],
  ] as const)('%#', ([wish, sight, state, ready, message]) => {
    const decision = decideServer(wish, sight, null, 1_000);
    const { reason } = decision;
    expect([decision.state, decision.message]).toEqual([state, message]);
    expect(decision.conditions[0]).toEqual({ type: 'Ready', status: ready, reason, message, observedGeneration: 4, sinceMs: 1_000 });
  });
});

describe('its conditions', () => {
  const told = (wish: ServerDesired, sight: ServerObserved) =>
    decideServer(wish, sight, null, 1_000)
      .conditions.slice(1)
      .map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
  const reached = 'Reachable True Reachable: m';
  const contained = 'Contained True Provisioned: ';

  it.for([
    [{ ...desired, kit: null }, sees(), [reached]],
    [
      desired,
      sees({ host: away, kit: blind('refused') }),
      ['Reachable False ServerUnreachable: cut', 'Installed Unknown NotObservedYet: refused'],
    ],
    [desired, sees(), [reached, 'Installed True Installed: new', 'Progressing False Installed: ', contained]],
    [wants({ id: null }), sees(), [reached, 'Installed True Installed: new', 'Progressing False Installed: ', contained]],
    [desired, sees({ kit: seen({ id: 'old' }) }), [reached, 'Installed True Outdated: old', 'Progressing False Outdated: ', contained]],
    [
      desired,
      sees({ kit: seen({ id: null }) }),
      [reached, 'Installed False NotInstalled: ', 'Progressing False NotInstalled: ', contained],
    ],
    [
      wants({ id: null }),
      sees({ kit: seen({ id: null }) }),
      [reached, 'Installed False NotInstalled: ', 'Progressing False NotInstalled: ', contained],
    ],
    [desired, sees({ busy: busy('kit') }), [reached, 'Installed True Installed: new', 'Progressing True Installing: at work', contained]],
    [
      desired,
      sees({
        kit: seen({
          accounts: [
            { ...ana, linger: false },
            bia,
            { ...bia, name: 'caio', manager: false },
            { ...ana, name: 'dora', found: false, linger: false },
          ],
        }),
      }),
      [reached, 'Installed True Installed: new', 'Progressing False Installed: ', 'Contained False LingerBroken: ana, caio'],
    ],
  ] as const)('%#', ([wish, sight, conditions]) => {
    expect(told(wish, sight)).toEqual(conditions);
  });
});

describe('an attempt', () => {
  const missing = sees({ kit: seen({ id: null }) });
  const failure = { message: 'no room', retry: 'waiting', atMs: 0 } as const;

  it('is looked at again by itself, but not while it is under way or nothing is to be done', () => {
    const first = decideServer(desired, missing, null, 1_000);
    expect([first.actions.length, first.nextDeadlineMs, first.memory.attempts]).toEqual([1, 11_000, 1]);
    const works = decideServer(desired, { ...missing, busy: busy('kit') }, first.memory, 2_000);
    expect([works.actions, works.nextDeadlineMs, works.memory]).toEqual([
      [],
      null,
      { ...first.memory, since: works.memory.since, busy: true },
    ]);
    expect(decideServer(desired, { ...missing, busy: busy('kit') }, works.memory, 3_000).memory).toBe(works.memory);
    // Nothing can be done meanwhile.
    const lost = decideServer(desired, sees({ host: away, kit: blind('refused') }), first.memory, 2_000);
    expect([lost.actions, lost.nextDeadlineMs, lost.memory.nextAttemptAtMs]).toEqual([[], null, 11_000]);
    // The wait begins with the end of the work.
    const ended = decideServer(desired, missing, works.memory, 9_000);
    expect([ended.actions, ended.nextDeadlineMs, ended.memory.busy]).toEqual([[], 19_000, false]);
    expect(ended).toMatchObject({ state: 'missing', reason: 'NotInstalled', message: 'the server kit new is not there' });
    const right = decideServer(desired, sees(), ended.memory, 10_000);
    expect(right.memory).toMatchObject({ attempts: 0, nextAttemptAtMs: 0, attempted: null });
    expect([right.actions, right.nextDeadlineMs]).toEqual([[], null]);
  });

  it('of another kind begins anew', () => {
    const first = decideServer(desired, missing, null, 1_000);
    const accounts = sees({ kit: seen({ key: false }) });
    expect(decideServer(desired, accounts, first.memory, 1_001).memory.attempts).toBe(1);
    expect(decideServer(desired, accounts, first.memory, 1_001).actions).toHaveLength(1);
    // The same act for another trouble, too.
    const keys = decideServer(desired, accounts, null, 1_000);
    expect(decideServer(desired, sees({ kit: seen({ origins: 'path' }) }), keys.memory, 1_001).actions).toHaveLength(1);
    expect(decideServer(desired, sees({ kit: seen({ key: false, origins: 'path' }) }), keys.memory, 1_001).actions).toHaveLength(1);
    expect(decideServer(desired, accounts, keys.memory, 1_001).actions).toEqual([]);
  });

  it('of two accounts is not the one of an account that is called like both', () => {
    const lost = (...names: readonly string[]) =>
      sees({ kit: seen({ accounts: names.map((name) => ({ name, found: true, linger: false, manager: true, key: true })) }) });
    const both = decideServer(desired, lost('ana', 'bia'), null, 1_000);
    expect(decideServer(desired, lost('anabia'), both.memory, 1_001).actions).toHaveLength(1);
  });

  it('that runs when nothing was tried here is waited for', () => {
    const wish = wants({ pending: 'rollback' });
    const works = decideServer(wish, sees({ busy: busy('accounts') }), null, 1_000);
    expect([works.actions, works.state]).toEqual([[], 'outdated']);
    const after = (nextAttemptAtMs: number) =>
      decideServer(wish, sees({ busy: busy('accounts') }), { ...works.memory, attempts: 2, nextAttemptAtMs }, 1_001);
    expect([after(500).actions, after(500).nextDeadlineMs, after(60_000).nextDeadlineMs]).toEqual([[], null, null]);
  });

  it('waits at most the longest wait, whatever a clock that was set back remembers', () => {
    const { memory } = decideServer(desired, missing, null, 1_000);
    const acts = (nextAttemptAtMs: number) => decideServer(desired, missing, { ...memory, nextAttemptAtMs }, 1_000).actions.length;
    expect([acts(601_000), acts(601_001)]).toEqual([0, 1]);
  });

  it('that failed is told, and for accounts with the trouble that it was for', () => {
    const told = (sight: ServerObserved) => {
      const { memory } = decideServer(desired, sight, null, 0);
      const { state, reason, message } = decideServer(desired, { ...sight, failure }, memory, 1);
      return [state, reason, message];
    };
    expect(told(missing)).toEqual(['failed', 'InstallFailed', 'no room']);
    const full = { ...missing, failure: { ...failure, reason: 'DiskFull' } } as const;
    expect(decideServer(desired, full, decideServer(desired, missing, null, 0).memory, 1).reason).toBe('DiskFull');
    expect(told(sees({ kit: seen({ id: 'old' }) }))).toEqual(['outdated', 'InstallFailed', 'no room']);
    expect(told(sees({ kit: seen({ key: false }) }))).toEqual(['ready', 'InstallFailed', 'no room']);
    expect(told(sees({ kit: seen({ accounts: [{ ...ana, linger: false }] }) }))).toEqual(['ready', 'LingerBroken', 'no room']);
  });
});

describe('where systemd does not run', () => {
  const bare = { systemd: false, accounts: [{ ...ana, linger: false, manager: false }] } as const;

  it('what can not be had is told and not tried, and the clock is told before it', () => {
    const { state, reason, message, actions, conditions } = decideServer(desired, sees({ kit: seen(bare) }), null, 0);
    expect([state, reason, message, actions]).toEqual(['ready', 'LingerBroken', withoutSystemd, []]);
    expect(conditions.find(({ type }) => type === 'Contained')).toMatchObject({ status: 'False', message: withoutSystemd });
    const off = decideServer(desired, sees({ kit: seen({ ...bare, clock: 'its clock is off' }) }), null, 0);
    expect([off.reason, off.message]).toEqual(['ClockOff', 'its clock is off']);
    const nobody = decideServer(desired, sees({ kit: seen({ systemd: false, accounts: [] }) }), null, 0);
    expect(nobody.conditions.find(({ type }) => type === 'Contained')).toMatchObject({ status: 'False', reason: 'LingerBroken' });
  });

  it('keys are put there all the same', () => {
    const { message, actions } = decideServer(desired, sees({ kit: seen({ ...bare, key: false }) }), null, 0);
    expect([message, actions]).toEqual([
      'the key of the portal is not there for the server',
      [{ kind: 'server/accounts', server: 'sirius' }],
    ]);
  });
});

describe('while it answers over what is connected and takes no new connection', () => {
  const shut = { reason: 'HostKeyChanged', message: 'sirius shows SHA256:x', fix: null } as const;

  it('is not ready, and nothing is done to it', () => {
    const decision = decideServer(desired, sees({ kit: seen({ id: 'old' }), door: shut }), null, 0);
    expect(decision).toMatchObject({ state: 'failed', reason: 'HostKeyChanged', actions: [] });
    expect(decision.message).toBe('it takes no new connection, what is connected goes on: sirius shows SHA256:x');
    expect(decision.conditions.slice(0, 2)).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'HostKeyChanged' },
      { type: 'Reachable', status: 'False', reason: 'HostKeyChanged', message: 'sirius shows SHA256:x' },
    ]);
    const { reason, conditions } = decideServer(desired, sees({ door: { ...shut, reason: null } }), null, 0);
    expect([reason, conditions[1]?.reason]).toEqual(['ServerUnreachable', 'ServerUnreachable']);
    expect(decideServer(desired, sees({ door: null }), null, 0).state).toBe('ready');
  });

  it('that does not answer at all is told as that, with its cause', () => {
    const host = { ...away, cause: { reason: 'KeyRefused', message: '', fix: null } } as const;
    const decision = decideServer(desired, sees({ host, kit: blind('refused'), door: shut }), null, 0);
    expect([decision.state, decision.reason, decision.conditions[1]?.reason]).toEqual(['unknown', 'KeyRefused', 'KeyRefused']);
  });
});
