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
});
