import { describe, expect, it } from 'vitest';
import { decidePackage } from './package.ts';
import { at, busy, sees, want } from './package-fixtures.ts';
import type { PackageMemory } from './package-types.ts';

const gone = { ...want, version: null };
const paused = { ...want, paused: true };
const calm = { ...want, whenStopped: true };
const back = { ...want, rollback: { from: '1.2.0', to: '1.1.0', requestId: 'q' } };
const unoffered = { offer: null, offered: [] };
const lacking = { reason: 'PackageMissing', message: 'the server lacks ffmpeg' } as const;

describe('a package', () => {
  it.for([
    ['is installed when nothing stands there', want, sees(), 'installing', 'Installing', ['package/install']],
    ['is left alone when it is there', want, sees({ installed: at('1.2.0') }), 'installed', 'Installed', []],
    ['is brought to another version', want, sees({ installed: at('1.1.0') }), 'outdated', 'Outdated', ['package/install']],
    ['is brought back to an older version too', want, sees({ installed: at('2.0.0') }), 'outdated', 'Outdated', ['package/install']],
    ['waits for a repository that holds nothing', want, sees(unoffered), 'missing', 'SourceMissing', []],
    ['waits for one that holds another version', want, sees({ offer: null, offered: ['1.3.0'] }), 'missing', 'SourceMissing', []],
    ['waits for one that can be read', want, sees({ ...unoffered, problem: 'cut' }), 'missing', 'RepositoryUnreadable', []],
    ['waits for one whose package is mended', want, sees({ ...unoffered, refusedThere: 'x' }), 'missing', 'SourceRefused', []],
    ['keeps what runs while it waits', want, sees({ ...unoffered, installed: at('1.1.0') }), 'outdated', 'SourceMissing', []],
    ['is removed with its document', gone, sees({ installed: at('1.2.0') }), 'removing', 'Uninstalled', ['package/remove']],
    ['goes after its instances', gone, sees({ installed: at('1.2.0'), living: 2 }), 'removing', 'Uninstalled', []],
    ['is gone when nothing is left', gone, sees(), 'removed', 'Uninstalled', []],
    ['is not touched twice at once', want, sees({ busy: busy('install') }), 'installing', 'Downloading', []],
    ['is not installed while it is removed', want, sees({ busy: busy('remove') }), 'removing', 'Uninstalled', []],
    [
      'is cancelled when another version is wanted',
      { ...want, version: '1.3.0' },
      sees({ busy: busy('install') }),
      'installing',
      'Cancelled',
      ['package/cancel'],
    ],
    ['is cancelled when it is to go', gone, sees({ busy: busy('install') }), 'installing', 'Cancelled', ['package/cancel']],
    ['is cancelled once', gone, sees({ busy: busy('install', { cancelled: true }) }), 'installing', 'Downloading', []],
    ['waits until nobody runs it', calm, sees({ installed: at('1.1.0'), living: 2 }), 'outdated', 'UpdateWaits', []],
    ['does not wait when nobody does', calm, sees({ installed: at('1.1.0') }), 'outdated', 'Outdated', ['package/install']],
    ['does not wait for its first installation', calm, sees({ living: 1 }), 'installing', 'Installing', ['package/install']],
    [
      'is cancelled when somebody starts what it would replace',
      calm,
      sees({ installed: at('1.1.0'), living: 1, busy: busy('install') }),
      'installing',
      'Cancelled',
      ['package/cancel'],
    ],
    [
      'is repaired while it runs',
      calm,
      sees({ installed: at('1.2.0', { drift: true }), living: 1 }),
      'drifted',
      'Drift',
      ['package/install'],
    ],
    [
      'goes on being repaired while it runs',
      calm,
      sees({ installed: at('1.2.0', { drift: true }), living: 1, busy: busy('install') }),
      'installing',
      'Downloading',
      [],
    ],
    [
      'is rolled back while it runs',
      { ...back, whenStopped: true },
      sees({ installed: at('1.2.0', { previous: '1.1.0' }), living: 1 }),
      'outdated',
      'RolledBack',
      ['package/roll-back'],
    ],
    [
      'says for whom it can not come first',
      calm,
      sees({ ...unoffered, installed: at('1.1.0'), living: 1 }),
      'outdated',
      'SourceMissing',
      [],
    ],
    ['waits for what the server lacks', want, sees({ refusal: lacking }), 'missing', 'PackageMissing', []],
    ['keeps what runs meanwhile', want, sees({ refusal: lacking, installed: at('1.1.0') }), 'outdated', 'PackageMissing', []],
    ['is not judged again once it is there', want, sees({ refusal: lacking, installed: at('1.2.0') }), 'installed', 'Installed', []],
    ['gets changed files back at once', want, sees({ installed: at('1.2.0', { drift: true }) }), 'drifted', 'Drift', ['package/install']],
    [
      'says that changed files can not be put back',
      want,
      sees({ ...unoffered, installed: at('1.2.0', { drift: true }) }),
      'drifted',
      'Drift',
      [],
    ],
    ['is unknown while it can not be read', want, sees({ installed: at('1.1.0'), unread: 'EIO' }), 'unknown', 'FilesUnreadable', []],
    ['is not removed while it can not be read', gone, sees({ installed: at('1.2.0'), unread: 'EIO' }), 'unknown', 'FilesUnreadable', []],
    [
      'is replaced whatever was changed',
      want,
      sees({ installed: at('1.1.0', { drift: true }) }),
      'outdated',
      'Outdated',
      ['package/install'],
    ],
    [
      'drops the version before once it answered',
      want,
      sees({ installed: at('1.2.0', { previous: '1.1.0' }), answered: true }),
      'installed',
      'Installed',
      ['package/confirm'],
    ],
    ['keeps it until then', want, sees({ installed: at('1.2.0', { previous: '1.1.0' }) }), 'installed', 'Installed', []],
    ['does one thing at a time', want, sees({ installed: at('1.1.0'), busy: busy('mend') }), 'outdated', 'Outdated', []],
    [
      'goes back to what the server keeps',
      back,
      sees({ installed: at('1.2.0', { previous: '1.1.0' }) }),
      'outdated',
      'RolledBack',
      ['package/roll-back'],
    ],
    ['goes back by the repository otherwise', back, sees({ installed: at('1.2.0') }), 'outdated', 'Outdated', ['package/install']],
    ['stays back', back, sees({ installed: at('1.1.0') }), 'outdated', 'RolledBack', []],
    [
      'comes forward for another version',
      { ...back, version: '1.3.0' },
      sees({ installed: at('1.1.0') }),
      'outdated',
      'Outdated',
      ['rollback/end', 'package/install'],
    ],
    ['is not installed while paused', paused, sees(), 'missing', 'Paused', []],
    ['is not upgraded while paused', paused, sees({ installed: at('1.1.0') }), 'outdated', 'Paused', []],
    ['is not repaired while paused', paused, sees({ installed: at('1.2.0', { drift: true }) }), 'drifted', 'Paused', []],
    ['is what it is while paused', paused, sees({ installed: at('1.2.0') }), 'installed', 'Installed', []],
    [
      'is unknown on a server that does not answer',
      want,
      sees({ host: { status: 'unreachable', message: 'no route' } }),
      'unknown',
      'ServerUnreachable',
      [],
    ],
  ] as const)('%s', ([, desired, observed, state, reason, actions]) => {
    const decision = decidePackage(desired, observed, null, 1_000);
    expect([decision.state, decision.reason, decision.actions.map(({ kind }) => kind)]).toEqual([state, reason, actions]);
  });

  it('is tried again after 2, 4, 8… s when it fails for a passing cause', () => {
    const failure = { reason: 'InstallFailed', message: 'disk full', retry: 'transient', atMs: 0 } as const;
    let memory: PackageMemory | null = null;
    const attempts: number[] = [];
    for (let nowMs = 0; nowMs <= 31_000; nowMs += 500) {
      const decision = decidePackage(want, sees({ failure: memory === null ? null : failure }), memory, nowMs);
      if (decision.actions.length > 0) attempts.push(nowMs);
      expect(decision.state).toBe(decision.actions.length > 0 ? 'installing' : 'failed');
      memory = decision.memory;
    }
    expect(attempts).toEqual([0, 2_000, 6_000, 14_000, 30_000]);
  });

  it('waits no longer than its longest wait when the clock was set back', () => {
    const { memory } = decidePackage(want, sees(), null, 365 * 86_400_000);
    const failure = { reason: 'InstallFailed', message: 'disk full', retry: 'transient', atMs: 0 } as const;
    expect(decidePackage(want, sees({ failure }), memory, 1_000).actions).toHaveLength(1);
  });

  it.for([
    ['another version', { version: '1.3.0' }, {}],
    ['other bytes', {}, { offer: { mark: 'b' } }],
    ['another request', { requestId: 'q2' }, {}],
    ['its server to be reached otherwise', { place: 'b' }, {}],
  ] as const)('waits for %s when it failed for good', ([, wish, world]) => {
    const failure = { reason: 'InstallFailed', message: 'broken manifest', retry: 'terminal', atMs: 0 } as const;
    const first = decidePackage(want, sees(), null, 0);
    const failed = decidePackage(want, sees({ failure }), first.memory, 1_000_000);
    expect([failed.state, failed.actions, failed.nextDeadlineMs]).toEqual(['failed', [], null]);
    const other = decidePackage({ ...want, ...wish }, sees({ failure, ...world }), failed.memory, 1_000_001);
    expect(other.actions).toHaveLength(1);
  });

  it('goes on at once when what it waited for is there, whatever the backoff', () => {
    const failure = { ...lacking, retry: 'waiting', atMs: 0 } as const;
    const first = decidePackage(want, sees(), null, 0);
    const waits = decidePackage(want, sees({ failure, refusal: lacking }), first.memory, 100);
    expect([waits.state, waits.reason, waits.actions]).toEqual(['missing', 'PackageMissing', []]);
    expect(decidePackage(want, sees({ failure }), waits.memory, 200).actions).toHaveLength(1);
  });

  it('puts changed files back at once, and more and more slowly when somebody changes them again and again', () => {
    let memory: PackageMemory | null = null;
    const repairs: number[] = [];
    const told = new Set<string>();
    for (let nowMs = 0; nowMs <= 80_000; nowMs += 1_000) {
      const drift = repairs.at(-1) !== nowMs - 1_000;
      const decision = decidePackage(want, sees({ installed: at('1.2.0', { drift }) }), memory, nowMs);
      if (decision.actions.length > 0) repairs.push(nowMs);
      else if (drift) told.add(decision.message);
      memory = decision.memory;
    }
    expect(repairs).toEqual([0, 12_000, 34_000, 76_000]);
    // The time that it says is the time that it keeps.
    expect([...told].slice(0, 2)).toEqual([
      'files of 1.2.0 were changed on the server again (put back 1 time of late); they are put back at 1970-01-01T00:00:12.000Z',
      'files of 1.2.0 were changed on the server again (put back 2 times of late); they are put back at 1970-01-01T00:00:34.000Z',
    ]);
  });

  it('waits half a minute for its instances and then goes all the same', () => {
    const runs = sees({ installed: at('1.2.0'), living: 1 });
    const first = decidePackage(gone, runs, null, 1_000);
    expect(first.nextDeadlineMs).toBe(31_000);
    expect(decidePackage(gone, runs, first.memory, 30_999).actions).toEqual([]);
    expect(decidePackage(gone, runs, first.memory, 31_000).actions).toHaveLength(1);
    expect(decidePackage(gone, { ...runs, living: 0 }, first.memory, 2_000).actions).toHaveLength(1);
  });

  it('remembers the version that was there before', () => {
    const first = decidePackage(want, sees({ installed: at('1.1.0') }), null, 0);
    const second = decidePackage(want, sees({ installed: at('1.2.0') }), first.memory, 1_000);
    expect(decidePackage(want, sees({ installed: at('1.2.0') }), second.memory, 2_000).memory.before).toBe('1.1.0');
  });

  it.for([
    ['the same version', '1.2.0', null],
    ['another one', '1.3.0', '1.2.0'],
  ] as const)('has %s after its folder was deleted, and goes back to what there is', ([, version, before]) => {
    const aim = { ...want, version };
    const there = decidePackage(want, sees({ installed: at('1.2.0') }), null, 0);
    const gone = decidePackage(aim, sees(), there.memory, 1_000);
    const again = decidePackage(aim, sees({ installed: at(version) }), gone.memory, 2_000);
    expect(again.memory.before).toBe(before);
  });

  it('is asked for its answer again only after a minute', () => {
    const answers = sees({ installed: at('1.2.0', { previous: '1.1.0' }), answered: true });
    const first = decidePackage(want, answers, null, 0);
    expect(decidePackage(want, answers, first.memory, 59_999).actions).toEqual([]);
    expect(decidePackage(want, answers, first.memory, 60_000).actions).toHaveLength(1);
  });

  it('says in its conditions that files were changed and that it is paused', () => {
    const { conditions } = decidePackage(paused, sees({ installed: at('1.2.0', { drift: true }) }), null, 0);
    const told = Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
    expect(told).toEqual({ Ready: 'False', Installed: 'True', Progressing: 'False', Drift: 'True', Paused: 'True' });
  });

  it('says in its conditions that ceilings do not reach a server-scope app', () => {
    const { state, conditions } = decidePackage(want, sees({ installed: at('1.2.0'), unbounded: true }), null, 0);
    const told = conditions.find(({ type }) => type === 'Contained');
    expect([state, told?.status, told?.reason]).toEqual(['installed', 'False', 'CeilingIgnored']);
    expect(told?.message).toContain('svc-app-notas.service');
  });

  it('keeps the very same memory while nothing changes', () => {
    const first = decidePackage(want, sees({ installed: at('1.2.0') }), null, 0);
    expect(decidePackage(want, sees({ installed: at('1.2.0') }), first.memory, 10_000).memory).toBe(first.memory);
  });
});
