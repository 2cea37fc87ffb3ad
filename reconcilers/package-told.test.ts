/** Results of a decision about a package: sentence, conditions, deadline and memory. */
import { describe, expect, it } from 'vitest';
import { at, busy, sees, want } from './package-fixtures.ts';
import { repairsOf } from './package-goal.ts';
import { decidePackage } from './package.ts';
import type { PackageMemory } from './package-types.ts';

const gone = { ...want, version: null };
const mine = { ...want, scope: 'pessoa', person: 'ana', requestId: 'q' } as const;
const cancel = { ...mine, version: null, cancels: true };
const back = { ...want, rollback: { from: '1.2.0', to: '1.1.0', requestId: 'q' } };
const nowhere = { offer: null, offered: [] };
const drifted = at('1.2.0', { drift: true });
const refusal = { reason: 'PackageMissing', message: 'the server lacks ffmpeg' } as const;
const host = (status: 'unreachable' | 'unknown') => ({ host: { status, message: 'm' } });
const held =
  '1.2.0 is wanted and was rolled back to 1.1.0; it is not installed again until another version is wanted or the rollback is undone';
const fresh: PackageMemory = decidePackage(want, sees({ installed: at('1.2.0') }), null, 0).memory;

describe('a package says', () => {
  it.for([
    [want, {}, 'version 1.2.0'],
    [want, { installed: at('1.1.0') }, '1.1.0 is installed, 1.2.0 is wanted'],
    [want, { installed: at('1.2.0') }, 'version 1.2.0'],
    [want, { busy: busy('install', { message: 'Downloading 43 %' }) }, 'Downloading 43 %'],
    [{ ...want, version: '1.3.0' }, { busy: busy('install') }, 'the installation of 1.2.0 is being ended'],
    [{ ...want, version: '1.3.0' }, { busy: busy('roll-back', { message: 'goes back' }) }, 'goes back'],
    [want, host('unreachable'), 'm'],
    [want, { unread: 'EIO' }, 'EIO'],
    [{ ...gone, leaving: true }, { isOthers: true }, 'what is there is not its own'],
    [{ ...gone, leaving: true }, { lost: true, installed: at('1.2.0'), ...host('unreachable') }, 'casa was given up'],
    [gone, {}, 'nothing of it is on the server'],
    [gone, { installed: at('1.2.0') }, '1.2.0 is being removed'],
    [gone, { installed: at('1.2.0'), living: 1 }, '1.2.0 goes when its 1 running instance ended'],
    [gone, { installed: at('1.2.0'), living: 2 }, '1.2.0 goes when its 2 running instances ended'],
    [cancel, { targetObserved: false }, 'its account was not looked at yet'],
    [cancel, {}, 'the installation was cancelled'],
    [cancel, { installed: at('1.1.0') }, '1.1.0 stays'],
    [back, { installed: at('1.2.0', { previous: '1.1.0' }) }, '1.2.0 is left, 1.1.0 comes back'],
    [back, { installed: at('1.1.0') }, held],
    [back, {}, 'version 1.1.0'],
    [want, nowhere, 'version 1.2.0 is wanted and the repository holds nothing of it'],
    [want, { offer: null, offered: ['1.1.0'] }, 'version 1.2.0 is wanted and the repository holds version 1.1.0'],
    [
      want,
      { offer: null, offered: ['6', '5', '4', '3', '2', '1'], installed: at('1.1.0') },
      'version 1.2.0 is wanted and the repository holds versions 6, 5, 4, 3, 2; 1.1.0 stays installed',
    ],
    [want, { ...nowhere, problem: 'cut' }, "version 1.2.0 is wanted and the repository can't be read: cut"],
    [
      want,
      { offer: null, offered: ['1.1.0'], problem: 'cut', installed: at('1.1.0') },
      "version 1.2.0 is wanted and the repository can't be read: cut; it held version 1.1.0 when it was read last; 1.1.0 stays installed",
    ],
    [want, { ...nowhere, refusedThere: 'no id' }, 'version 1.2.0 is wanted and what the repository holds of it is refused: no id'],
    [want, { refusal }, '1.2.0: the server lacks ffmpeg'],
    [want, { refusal, installed: at('1.1.0') }, '1.2.0: the server lacks ffmpeg; 1.1.0 stays installed'],
    [want, { installed: drifted }, 'files of 1.2.0 were changed on the server; they are put back'],
    [
      want,
      { installed: drifted, refusal },
      "files of 1.2.0 were changed on the server, and can't be put back: 1.2.0: the server lacks ffmpeg; 1.2.0 stays installed",
    ],
    [{ ...want, paused: true }, {}, 'paused: version 1.2.0'],
    [{ ...want, paused: true }, nowhere, 'version 1.2.0 is wanted and the repository holds nothing of it'],
  ] as const)('%#', ([desired, changes, message]) => {
    expect(decidePackage(desired, sees(changes), null, 1_000).message).toBe(message);
  });

  it('that it was changed again, by its state and reason, too', () => {
    const memory = { ...fresh, repairs: 1, repairedAtMs: 0, driftSinceMs: 1_000 };
    const waits = decidePackage(want, sees({ installed: drifted }), memory, 2_000);
    expect(waits).toMatchObject({ state: 'drifted', reason: 'Drift', actions: [], nextDeadlineMs: 11_000 });
    const still = decidePackage({ ...want, paused: true }, sees({ installed: drifted }), memory, 2_000);
    expect(still).toMatchObject({ state: 'drifted', reason: 'Paused', actions: [] });
    expect(still.message).toMatch(/^paused: files of 1\.2\.0 were changed on the server again/);
  });

  it.for([
    [want, host('unknown'), 'unknown', 'NotObservedYet'],
    [want, host('unreachable'), 'unknown', 'ServerUnreachable'],
    [cancel, { targetObserved: false }, 'unknown', 'NotObservedYet'],
    [{ ...gone, leaving: true }, { isOthers: true }, 'removed', 'Uninstalled'],
    [{ ...gone, leaving: true }, { lost: true, installed: at('1.2.0'), ...host('unreachable') }, 'removed', 'Uninstalled'],
    [want, { installed: at('1.1.0'), busy: busy('confirm') }, 'outdated', 'Outdated'],
    [want, { installed: at('1.2.0'), isOthers: true }, 'installed', 'Installed'],
    [{ ...back, version: '1.3.0' }, { installed: at('1.2.0', { previous: '1.3.0' }) }, 'outdated', 'Outdated'],
    // A wish for a version that is under way ends nothing; neither does who gives up nothing.
    [mine, { busy: busy('install') }, 'installing', 'Downloading'],
    [{ ...mine, requestId: null, version: null }, { busy: busy('install') }, 'installing', 'Cancelled'],
    [{ ...gone, requestId: 'q' }, { busy: busy('install') }, 'installing', 'Cancelled'],
  ] as const)('its state and reason: %#', ([desired, changes, state, reason]) => {
    expect(decidePackage(desired, sees(changes), null, 1_000)).toMatchObject({ state, reason });
  });
});

describe('what is noted about who wanted it', () => {
  const forget = { kind: 'object/forget', key: 'Package/notas' };
  it.for([
    ['a document', { ...gone, leaving: true }, {}, [forget]],
    ['a document of a person', { ...gone, leaving: true, person: 'ana' }, {}, [forget]],
    ['a request without a person', { ...gone, leaving: true, requestId: 'q' }, {}, [forget]],
    ['a version that was given up, of nobody', { ...gone, cancels: true }, { installed: at('1.1.0') }, []],
    ['a version that was given up, of no request', { ...cancel, requestId: null }, { installed: at('1.1.0') }, []],
    ['a version that was given up, of no person', { ...cancel, person: null }, { installed: at('1.1.0') }, []],
    ['nothing that stays', gone, {}, []],
  ] as const)('%s', ([, desired, changes, actions]) => {
    expect(decidePackage(desired, sees(changes), null, 1_000).actions).toEqual(actions);
  });
});

describe('its conditions', () => {
  it.for([
    [want, { installed: at('1.2.0') }, 'True', 'True', 'False', 'False'],
    [gone, {}, 'True', 'False', 'False', 'False'],
    [want, {}, 'False', 'False', 'True', 'False'],
    [gone, { installed: at('1.2.0') }, 'False', 'True', 'True', 'False'],
    [want, { installed: drifted }, 'False', 'True', 'False', 'True'],
    [want, host('unknown'), 'Unknown', 'Unknown', 'Unknown', 'Unknown'],
  ] as const)('%#', ([desired, changes, ready, installed, progressing, drift]) => {
    const { conditions, reason, message } = decidePackage(desired, sees(changes), null, 1_000);
    const changed = drift === 'True' ? { reason: 'Drift', message: 'files were changed on the server' } : { reason, message: '' };
    expect(conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message }))).toEqual([
      { type: 'Ready', status: ready, reason, message },
      { type: 'Installed', status: installed, reason, message },
      { type: 'Progressing', status: progressing, reason, message },
      { type: 'Drift', status: drift, ...changed },
    ]);
  });

  it('tell of a pause', () => {
    const { conditions } = decidePackage({ ...want, paused: true }, sees(), null, 1_000);
    expect(conditions[4]).toMatchObject({ type: 'Paused', status: 'True', reason: 'Paused', message: 'nothing of it is changed' });
  });
});

describe('an attempt', () => {
  const failure = { reason: 'InstallFailed', message: 'disk full', retry: 'transient', atMs: 0 } as const;
  it.for([
    ['an installation', want, {}],
    ['an upgrade', want, { installed: at('1.1.0') }],
    ['a removal', gone, { installed: at('1.2.0') }],
    ['a step back', back, { installed: at('1.2.0', { previous: '1.1.0' }) }],
  ] as const)('is held back after %s failed', ([, desired, changes]) => {
    const first = decidePackage(desired, sees(changes), null, 1_000);
    expect([first.actions.length, first.nextDeadlineMs, first.memory.attempts]).toEqual([1, 3_000, 1]);
    const held = decidePackage(desired, sees({ ...changes, failure }), first.memory, 2_999);
    expect(held).toMatchObject({ state: 'failed', reason: 'InstallFailed', actions: [], nextDeadlineMs: 3_000 });
    const stays = 'installed' in changes ? `; ${changes.installed.version} is installed` : '';
    expect(held.message).toBe(`disk full${stays}`);
    expect(decidePackage(desired, sees({ ...changes, failure }), first.memory, 3_000).actions).toHaveLength(1);
    // It succeeded, and nobody looked since.
    expect(decidePackage(desired, sees(changes), first.memory, 2_000)).toMatchObject({
      state: first.state,
      reason: first.reason,
      actions: [],
    });
  });

  it.for([
    [want, 'installed', [], [['True', 'SourceChanged']]],
    [{ ...want, paused: true }, 'installed', [], [['True', 'SourceChanged']]],
    [{ ...want, version: '1.3.0' }, 'outdated', ['package/install'], []],
    [gone, 'removing', ['package/remove'], []],
  ] as const)('%#: that its source has other files, and nothing is done about it', ([desired, state, acts, told]) => {
    const seen = sees({ installed: at('1.2.0'), otherSource: '/apps/notas' });
    const decision = decidePackage(desired, seen, null, 1_000);
    const stale = decision.conditions.filter(({ type }) => type === 'Stale');
    expect([decision.state, decision.actions.map(({ kind }) => kind)]).toEqual([state, acts]);
    expect(stale.map(({ status, reason }) => [status, reason])).toEqual(told);
  });

  it('that is not held back tells of no failure of before', () => {
    expect(decidePackage(want, sees({ failure: { ...failure, retry: 'terminal' } }), null, 1_000)).toMatchObject({ state: 'installing' });
    const memory = { ...decidePackage(want, sees(), null, 1_000).memory, attempts: 0, nextAttemptAtMs: 9_000 };
    expect(decidePackage(want, sees({ failure }), memory, 2_000).actions).toHaveLength(1);
  });

  it('waits at most the longest wait, whatever a clock that was set back remembers', () => {
    const first = decidePackage(want, sees(), null, 1_000).memory;
    const acts = (nextAttemptAtMs: number) => decidePackage(want, sees({ failure }), { ...first, nextAttemptAtMs }, 1_000).actions.length;
    expect([acts(601_000), acts(601_001)]).toEqual([0, 1]);
  });

  it.for([
    ['what is there', { installed: at('1.1.0') }, { installed: at('1.0.0') }, want],
    ['changed files', { installed: at('1.1.0') }, { installed: at('1.1.0', { drift: true }) }, want],
    ['nothing there', { installed: at('1.1.0') }, { installed: null }, want],
    [
      'another rollback',
      { installed: at('1.2.0') },
      { installed: at('1.2.0') },
      { ...back, rollback: { ...back.rollback, requestId: 'r' } },
    ],
  ] as const)('is a first one again for %s', ([, before, after, desired]) => {
    const first = decidePackage(desired === want ? want : back, sees(before), null, 1_000);
    expect(decidePackage(desired, sees({ ...after, failure }), first.memory, 1_001).actions).toHaveLength(1);
  });

  it('is over when nothing has to be changed, and not while somebody works on it', () => {
    const first = decidePackage(want, sees(), null, 1_000).memory;
    const works = decidePackage(want, sees({ busy: busy('install') }), first, 1_500);
    expect([works.memory.attempts, works.memory.attempted, works.nextDeadlineMs]).toEqual([1, first.attempted, null]);
    const done = decidePackage(want, sees({ installed: at('1.2.0') }), first, 1_600);
    expect(done.memory).toMatchObject({ attempts: 0, nextAttemptAtMs: 0, attempted: null });
    expect(done.nextDeadlineMs).toBeNull();
    const aside = decidePackage(want, sees({ installed: at('1.1.0'), busy: busy('mend') }), first, 1_600);
    expect([aside.actions, aside.nextDeadlineMs]).toEqual([[], null]);
  });

  it('that was refused and is let in is a first one again', () => {
    const first = decidePackage(want, sees(), null, 1_000);
    const refused = decidePackage(want, sees({ refusal, busy: busy('mend') }), first.memory, 1_100);
    expect(JSON.parse(refused.memory.attempted ?? '[]')).toContain('PackageMissing');
  });
});

describe('what is remembered', () => {
  it('is the first version, of which none was before', () => {
    expect([fresh.seen, fresh.before]).toEqual(['1.2.0', null]);
    expect(decidePackage(want, sees({ installed: at('1.1.0') }), fresh, 1_000).memory).toMatchObject({ seen: '1.1.0', before: '1.2.0' });
    const none = decidePackage(want, sees(), null, 0).memory;
    expect(decidePackage(want, sees({ installed: at('1.1.0') }), none, 1_000).memory).toMatchObject({ seen: '1.1.0', before: null });
  });

  it.for([
    ['while its instances end', gone, { living: 1 }, 1_000],
    ['not when none lives', gone, { living: 0 }, null],
    ['not when it stays', want, { living: 1 }, null],
    ['not while somebody works on it', gone, { living: 1, busy: busy('mend') }, null],
  ] as const)('is since when they are waited for: %s', ([, desired, changes, endingSinceMs]) => {
    expect(decidePackage(desired, sees({ installed: at('1.2.0'), ...changes }), null, 1_000).memory.endingSinceMs).toBe(endingSinceMs);
  });

  it('is how often it was put back, for an hour', () => {
    const memory = { ...fresh, repairs: 3, repairedAtMs: 5_000 };
    expect([repairsOf(memory, 3_604_999), repairsOf(memory, 3_605_000), repairsOf(null, 0)]).toEqual([3, 0, 0]);
    expect(decidePackage(want, sees({ installed: drifted }), memory, 3_605_000).memory).toMatchObject({
      repairs: 1,
      repairedAtMs: 3_605_000,
      driftSinceMs: null,
    });
    expect(decidePackage(want, sees({ installed: drifted }), memory, 6_000).memory).toMatchObject({
      repairs: 3,
      repairedAtMs: 5_000,
      driftSinceMs: 6_000,
    });
  });

  it('is of the version before: only what is kept is dropped', () => {
    const answered = sees({ installed: at('1.2.0'), answered: true });
    expect(decidePackage(want, answered, null, 1_000).actions).toEqual([]);
    const kept = sees({ installed: at('1.2.0', { previous: '1.1.0' }), answered: true });
    const first = decidePackage(want, kept, null, 1_000);
    expect(first.memory.confirmAtMs).toBe(61_000);
    expect(decidePackage(want, kept, first.memory, 2_000).nextDeadlineMs).toBe(61_000);
  });
});
