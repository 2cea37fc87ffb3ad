import { describe, expect, test } from 'vitest';
import { decideServer, type KitObservation, type ServerDesired, type ServerMemory, type ServerObserved } from './server.ts';

const desired: ServerDesired = {
  name: 'sirius',
  generation: 1,
  leaving: false,
  lost: false,
  kit: { id: '2.0.0-bbbbbbbb', removed: false, held: null, pending: null, origins: 'subdomain' },
};
const account = { name: 'ana', found: true, linger: true, manager: true, key: true };
const seen = (extra: Partial<Extract<KitObservation, { status: 'seen' }>> = {}): KitObservation => ({
  status: 'seen',
  rival: null,
  id: '2.0.0-bbbbbbbb',
  origins: 'subdomain',
  key: true,
  accounts: [account],
  ...extra,
});
const observed = (extra: Partial<ServerObserved> = {}): ServerObserved => ({
  host: { status: 'reachable', message: '' },
  occupied: false,
  kit: seen(),
  busy: null,
  failure: null,
  ...extra,
});
const withKit = (extra: Partial<NonNullable<ServerDesired['kit']>>): ServerDesired => ({ ...desired, kit: { ...desired.kit!, ...extra } });
const kitAction = { kind: 'server/kit', server: 'sirius', id: '2.0.0-bbbbbbbb' };
const accountsAction = { kind: 'server/accounts', server: 'sirius' };
const keyAction = { kind: 'server/key', server: 'sirius', key: 'ssh-ed25519 NEW' };
const changing = (extra: Partial<NonNullable<ServerDesired['kit']>> = {}) => withKit({ newKey: 'ssh-ed25519 NEW', ...extra });
const unreachable = { status: 'unreachable', message: 'no kit' } as const;

describe('the kit of a server', () => {
  test.for([
    ['is in place and everybody is ready', desired, observed(), 'ready', 'Reachable', []],
    ['is not there', desired, observed({ host: unreachable, kit: seen({ id: null }) }), 'missing', 'NotInstalled', [kitAction]],
    ['is another one', desired, observed({ kit: seen({ id: '1.0.0-aaaaaaaa' }) }), 'outdated', 'Outdated', [kitAction]],
    [
      'was gone back from',
      withKit({ held: '2.0.0-bbbbbbbb' }),
      observed({ kit: seen({ id: '1.0.0-aaaaaaaa' }) }),
      'ready',
      'Reachable',
      [],
    ],
    [
      'was gone back from, and the one before does not run',
      withKit({ held: '2.0.0-bbbbbbbb' }),
      observed({ kit: seen({ id: null }) }),
      'missing',
      'NotInstalled',
      [],
    ],
    [
      'was gone back from, and the portal has a newer one',
      withKit({ held: '1.5.0-cccccccc' }),
      observed({ kit: seen({ id: '1.0.0-aaaaaaaa' }) }),
      'outdated',
      'Outdated',
      [kitAction],
    ],
    [
      'is to come off',
      withKit({ removed: true, pending: 'remove' }),
      observed(),
      'removed',
      'Uninstalled',
      [{ kind: 'server/take-off', server: 'sirius', force: false }],
    ],
    [
      'is to come off although apps run, and half of it is gone',
      withKit({ removed: true, pending: 'remove-forced' }),
      observed({ kit: seen({ id: null }) }),
      'removed',
      'Uninstalled',
      [{ kind: 'server/take-off', server: 'sirius', force: true }],
    ],
    [
      'is to make room for the one before',
      withKit({ held: '2.0.0-bbbbbbbb', pending: 'rollback' }),
      observed(),
      'outdated',
      'RolledBack',
      [{ kind: 'server/roll-back', server: 'sirius' }],
    ],
    [
      'is to come off a server that does not answer',
      withKit({ removed: true, pending: 'remove' }),
      observed({ host: unreachable, kit: { status: 'unknown', message: 'refused' } }),
      'unknown',
      'ServerUnreachable',
      [],
    ],
    ['was taken off', withKit({ removed: true }), observed({ kit: seen({ id: null }) }), 'removed', 'Uninstalled', []],
    [
      'is being put there',
      desired,
      observed({ busy: { act: 'kit', message: 'upload' }, kit: seen({ id: null }) }),
      'installing',
      'Installing',
      [],
    ],
    ['is not known for this processor', withKit({ id: null }), observed({ kit: seen({ id: null }) }), 'missing', 'NotInstalled', []],
    [
      'can not be looked at',
      desired,
      observed({ host: unreachable, kit: { status: 'unknown', message: 'refused' } }),
      'unknown',
      'ServerUnreachable',
      [],
    ],
    [
      'has an account without lingering',
      desired,
      observed({ kit: seen({ accounts: [{ ...account, linger: false }] }) }),
      'ready',
      'LingerBroken',
      [accountsAction],
    ],
    [
      'has an account whose manager is gone',
      desired,
      observed({ kit: seen({ accounts: [{ ...account, manager: false }] }) }),
      'ready',
      'LingerBroken',
      [accountsAction],
    ],
    [
      'has an account that lets nobody in',
      desired,
      observed({ kit: seen({ accounts: [{ ...account, key: false }] }) }),
      'ready',
      'Reachable',
      [accountsAction],
    ],
    ['knows an older key', desired, observed({ kit: seen({ key: false }) }), 'ready', 'Reachable', [accountsAction]],
    ['does not have the new key yet', changing(), observed({ kit: seen({ key: false }) }), 'ready', 'Reachable', [keyAction]],
    ['lacks the new key, and the kit was taken off', changing({ removed: true }), observed(), 'removed', 'Uninstalled', [keyAction]],
    [
      'lacks the kit and the new key',
      changing(),
      observed({ host: unreachable, kit: seen({ id: null }) }),
      'missing',
      'NotInstalled',
      [kitAction],
    ],
    ['serves apps by another origin', desired, observed({ kit: seen({ origins: 'path' }) }), 'ready', 'Reachable', [accountsAction]],
    [
      'misses an account that nobody made',
      desired,
      observed({ kit: seen({ accounts: [{ ...account, found: false, linger: false, manager: false, key: false }] }) }),
      'ready',
      'Reachable',
      [],
    ],
  ] as const)('%s', ([, wanted, input, state, reason, actions]) => {
    const decision = decideServer(wanted, input, null, 1_000);
    expect([decision.state, decision.reason, decision.actions]).toEqual([state, reason, actions]);
    // Nothing changed: nothing more is done than what is due, and nothing is written.
    const again = decideServer(wanted, input, decision.memory, 1_001);
    expect(again.actions).toEqual([]);
    expect(again.memory.since).toBe(decision.memory.since);
  });

  test('is told to keep the old key while it does not answer and the key is being changed', () => {
    const input = observed({ host: unreachable, kit: { status: 'unknown', message: 'no route' } });
    expect(decideServer(changing(), input, null, 0)).toMatchObject({
      actions: [],
      message: 'no route; it keeps the old ssh key of the portal until it has the new one',
    });
    expect(decideServer(desired, input, null, 0).message).toBe('no route');
  });

  test('is tried again after 10, 20, 40 s, and not at all after a failure that waits for somebody', () => {
    const failure = { message: 'no room', retry: 'waiting', atMs: 0 } as const;
    const input = observed({ kit: seen({ id: null }), failure });
    let decision = decideServer(desired, input, null, 0);
    for (const atMs of [10_000, 30_000, 70_000]) {
      expect(decideServer(desired, input, decision.memory, atMs - 1)).toMatchObject({
        state: 'failed',
        reason: 'InstallFailed',
        actions: [],
        nextDeadlineMs: atMs,
      });
      decision = decideServer(desired, input, decision.memory, atMs);
      expect(decision.actions).toEqual([kitAction]);
    }
    const final = observed({ kit: seen({ id: null }), failure: { ...failure, retry: 'terminal' } });
    expect(decideServer(desired, final, decision.memory, 10_000_000).actions).toEqual([]);
    const newer = withKit({ id: '3.0.0-dddddddd' });
    expect(decideServer(newer, final, decision.memory, 10_000_000).actions).toEqual([{ ...kitAction, id: '3.0.0-dddddddd' }]);
  });

  test('that could not be brought up to date leaves the server serving', () => {
    const input = observed({ kit: seen({ id: '1.0.0-aaaaaaaa' }), failure: { message: 'no room', retry: 'waiting', atMs: 0 } });
    const first = decideServer(desired, input, null, 0);
    const held = decideServer(desired, input, first.memory, 1);
    expect([held.state, held.reason, held.conditions[0]?.status]).toEqual(['outdated', 'InstallFailed', 'True']);
  });

  test('whose accounts can not be made ready (no systemd) is tried a few times an hour, and goes on being ready', () => {
    const lost = seen({ accounts: [{ ...account, linger: false, manager: false }] });
    let memory: ServerMemory | null = null;
    let busyUntilMs = -1;
    let input = observed({ kit: lost });
    const triedAtS: number[] = [];
    const states = new Set<string>();
    for (let nowMs = 0; nowMs < 3_600_000; nowMs += 500) {
      if (input.busy !== null && nowMs >= busyUntilMs)
        input = observed({ kit: lost, failure: { message: 'no lingering', retry: 'waiting', atMs: nowMs } });
      const decision = decideServer(desired, input, memory, nowMs);
      memory = decision.memory;
      states.add(`${decision.state} ${decision.reason}`);
      if (decision.actions.length === 0) continue;
      triedAtS.push(nowMs / 1_000);
      busyUntilMs = nowMs + 2_000;
      input = { ...input, busy: { act: 'accounts', message: 'its accounts are made ready' } };
    }
    expect(triedAtS.slice(0, 8)).toEqual([0, 12, 34, 76, 158, 320, 642, 1_244]);
    expect(triedAtS).toHaveLength(11);
    expect([...states]).toEqual(['ready LingerBroken']);
  });

  test('has another trouble meanwhile: that is not made to wait', () => {
    const lost = { ...account, linger: false, manager: false };
    const failure = { message: 'no lingering', retry: 'waiting', atMs: 0 } as const;
    const first = decideServer(desired, observed({ kit: seen({ accounts: [lost] }), failure }), null, 0);
    expect(decideServer(desired, observed({ kit: seen({ accounts: [lost] }), failure }), first.memory, 1).actions).toEqual([]);
    const came = observed({ kit: seen({ accounts: [lost, { ...account, name: 'bia', key: false }] }), failure });
    expect(decideServer(desired, came, first.memory, 1).actions).toEqual([accountsAction]);
  });

  test('that does not answer for a while forgets nothing of its attempts', () => {
    const lost = seen({ accounts: [{ ...account, linger: false }] });
    const first = decideServer(desired, observed({ kit: lost }), null, 0);
    const away = decideServer(desired, observed({ host: unreachable, kit: { status: 'unknown', message: 'cut' } }), first.memory, 1);
    expect(decideServer(desired, observed({ kit: lost }), away.memory, 2).actions).toEqual([]);
  });
});

describe('a server whose document was removed', () => {
  const leaving = { ...desired, leaving: true };
  const occupied = { occupied: true, host: unreachable } as const;
  const forget = { kind: 'object/forget', key: 'Server/sirius' };
  test.for([
    ['serves until those who leave are gone', leaving, { occupied: true, kit: seen({ id: null }) }, [kitAction]],
    ['stays while they are there and it does not answer', leaving, { ...occupied, kit: { status: 'unknown', message: 'refused' } }, []],
    ['goes when nobody and nothing is there, whether it answers or not', leaving, { host: unreachable }, [forget]],
    ['goes without a kit of the portal, too', { ...leaving, kit: null }, {}, [forget]],
  ] as const)('%s', ([, wish, sees, actions]) => {
    const decision = decideServer(wish, observed(sees), null, 1_000);
    expect(decision).toMatchObject({ state: 'leaving', reason: 'DocumentRemoved', actions });
    // A note that the store refused is repeated without a wait.
    const again = decideServer(wish, observed(sees), decision.memory, 1_001);
    expect(again.actions.filter(({ kind }) => kind === 'object/forget')).toEqual(actions.filter((action) => action === forget));
  });
});
