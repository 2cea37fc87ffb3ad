import { describe, expect, it } from 'vitest';
import { decideEngine, type EngineDesired, type EngineMemory, type EngineObserved } from './engine.ts';

const want: EngineDesired = {
  server: 'casa',
  app: 'rostos',
  nome: 'rosto',
  versao: '1.0',
  declared: true,
  appInstalled: true,
  paused: false,
  leaving: false,
};
const sees = (changes: Partial<EngineObserved> = {}): EngineObserved => ({
  host: { status: 'reachable', message: '' },
  present: true,
  busy: null,
  failure: null,
  ...changes,
});
const none = { ...want, declared: false };
const failure = { reason: 'InstallFailed', message: 'cut', retry: 'transient', atMs: 0 } as const;
const busy = { reason: 'Downloading', message: 'Downloading rosto 43 %' } as const;

describe('an engine', () => {
  it.for([
    ['is there', want, sees(), 'present', 'Installed', 0],
    ['is fetched when it is missing', want, sees({ present: false }), 'missing', 'EngineMissing', 1],
    ['is removed when nobody declares it', none, sees(), 'undeclared', 'Undeclared', 1],
    ['is left to the installer that is at work', want, sees({ present: false, busy }), 'missing', 'Downloading', 0],
    ['says why it could not be fetched', want, sees({ present: false, failure }), 'missing', 'InstallFailed', 1],
    ['is left to its package while that goes', { ...want, leaving: true }, sees({ present: false }), 'missing', 'Uninstalled', 0],
    ['is left as it is while its package is paused', { ...want, paused: true }, sees({ present: false }), 'missing', 'Paused', 0],
    [
      'is unknown on a server that does not answer',
      want,
      sees({ host: { status: 'unreachable', message: '' } }),
      'unknown',
      'ServerUnreachable',
      0,
    ],
  ] as const)('%s', ([, desired, observed, state, reason, actions]) => {
    const decision = decideEngine(desired, observed, null, 1_000);
    expect([decision.state, decision.reason, decision.actions.length]).toEqual([state, reason, actions]);
  });

  it('is tried again after 2, 4, 8… s', () => {
    let memory: EngineMemory | null = null;
    const attempts: number[] = [];
    for (let nowMs = 0; nowMs <= 31_000; nowMs += 500) {
      const decision = decideEngine(want, sees({ present: false, failure }), memory, nowMs);
      if (decision.actions.length > 0) attempts.push(nowMs);
      memory = decision.memory;
    }
    expect(attempts).toEqual([0, 2_000, 6_000, 14_000, 30_000]);
  });

  it('forgets its failures once it is there, and keeps the very same memory while nothing changes', () => {
    const first = decideEngine(want, sees({ present: false }), null, 0);
    const there = decideEngine(want, sees(), first.memory, 1_000);
    expect(there.memory.attempts).toBe(0);
    expect(decideEngine(want, sees(), there.memory, 2_000).memory).toBe(there.memory);
  });

  const unseen = (status: 'unreachable' | 'unknown') => sees({ present: false, host: { status, message: 'm' } });
  const missing = sees({ present: false });
  it.for([
    [want, sees(), 'rosto 1.0', 'True', 'False'],
    [want, missing, 'rosto 1.0 is declared and not on the disk; it is fetched', 'False', 'False'],
    [none, sees(), 'no installed package declares rosto 1.0; it is removed', 'False', 'False'],
    [want, { ...missing, busy }, 'Downloading rosto 43 %', 'False', 'True'],
    [want, { ...missing, failure }, 'cut', 'False', 'False'],
    [{ ...want, leaving: true }, missing, 'it goes with its package', 'False', 'False'],
    [{ ...want, paused: true }, missing, 'paused: it is not fetched', 'False', 'False'],
    [{ ...none, paused: true }, sees(), 'paused: it is not removed', 'False', 'False'],
    [want, unseen('unreachable'), 'm', 'Unknown', 'Unknown'],
    [want, unseen('unknown'), 'm', 'Unknown', 'Unknown'],
  ] as const)('says: %#', ([desired, observed, message, ready, progressing]) => {
    const { conditions, ...told } = decideEngine(desired, observed, null, 1_000);
    expect([told.message, ...conditions.map(({ status }) => status)]).toEqual([message, ready, progressing]);
    expect(conditions.map(({ reason }) => reason)).toEqual([told.reason, told.reason]);
  });

  it.for([
    ['unreachable', 'ServerUnreachable'],
    ['unknown', 'NotObservedYet'],
  ] as const)('on a server that is %s is unknown, and nothing is done', ([status, reason]) => {
    expect(decideEngine(want, unseen(status), null, 1_000)).toMatchObject({ state: 'unknown', reason, actions: [] });
  });

  it.for([
    ['is missing', want, missing, 3_000],
    ['is there', want, sees(), null],
    ['is being fetched', want, { ...missing, busy }, null],
    ['is paused', { ...want, paused: true }, missing, null],
    ['is leaving', { ...want, leaving: true }, missing, null],
  ] as const)('is looked at again by itself while it %s', ([, desired, observed, nextDeadlineMs]) => {
    const before = { attempts: 1, nextAttemptAtMs: 3_000, since: {} };
    expect(decideEngine(desired, observed, before, 1_000).nextDeadlineMs).toBe(nextDeadlineMs);
  });

  it('is mended by the installer of its app, of the server or not', () => {
    expect(decideEngine({ ...want, appInstalled: false }, missing, null, 0).actions).toEqual([
      { kind: 'engine/mend', server: 'casa', app: 'rostos', installed: false },
    ]);
  });

  it('waits at most the longest wait, whatever a clock that was set back remembers', () => {
    const acts = (nextAttemptAtMs: number) =>
      decideEngine(want, missing, { attempts: 9, nextAttemptAtMs, since: {} }, 1_000).actions.length;
    expect([acts(601_000), acts(601_001)]).toEqual([0, 1]);
  });
});
