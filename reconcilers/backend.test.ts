import { array, assert, boolean, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasons } from '../schema/reasons/derived.ts';
import { decideBackend } from './backend.ts';
import { acts, alive, answering, desired, intent, notas, observed, process, stopped } from './backend-fixtures.ts';
import type { BackendMemory } from './backend-types.ts';
import { amount } from '../test/support/amount.ts';

describe('an intent', () => {
  it('to restart stops first, starts when the process is gone, and never goes back for a stale snapshot', () => {
    const want = desired({ intent: intent('restart') });
    const first = decideBackend(want, observed(alive()), answering(), 2_000);
    expect(acts(first)).toEqual(['stop r1:stop StoppedByPerson']);
    const going = alive({ state: 'stopping', wanted: false, requestId: 'r1:stop' });
    const second = decideBackend(want, observed(going), first.memory, 2_010);
    expect([acts(second), second.state]).toEqual([[], 'stopping']);
    const third = decideBackend(want, observed(stopped({ requestId: 'r1:stop' })), second.memory, 2_500);
    expect(acts(third)).toEqual(['start r1']);
    const stale = decideBackend(want, observed(alive()), third.memory, 2_510);
    expect(acts(stale)).not.toContain('stop r1:stop StoppedByPerson');
    expect(stale.memory.sent).toEqual(third.memory.sent);
  });

  it.for([
    ['start', 'desligado', 'refused'],
    ['restart', 'desligado', 'refused'],
    ['stop', 'ligado', 'refused'],
  ] as const)('to %s is refused under estado: %s', ([wish, document, outcome]) => {
    const decision = decideBackend(desired({ intent: intent(wish), document }), observed(alive({ pinned: true })), answering(), 2_000);
    expect([decision.finishedIntent, decision.outcome]).toEqual(['r1', outcome]);
    expect(decision.message).toContain(`estado: ${document}`);
  });
});

describe('a document', () => {
  it('ligado starts pinned, pins what runs, and lets it go when it disappears', () => {
    const want = desired({ document: 'ligado' });
    const start = decideBackend(want, observed(stopped()), null, 1_000);
    expect(acts(start)).toEqual(['start ligado-1000 pinned']);
    expect(acts(decideBackend(want, observed(alive()), answering(), 2_000))).toEqual(['pin true']);
    expect(acts(decideBackend(desired(), observed(alive({ pinned: true })), answering(), 2_000))).toEqual(['pin false']);
  });
});

describe('windows', () => {
  const closed = { open: 0, zeroSinceMs: 10_000 };
  it.for([
    ['two minutes after the last', desired({ windows: closed }), 130_000, ['stop janelas-10000 LastWindowClosed']],
    ['not a moment sooner', desired({ windows: closed }), 129_999, []],
    ['not while one is open', desired({ windows: { open: 1, zeroSinceMs: 10_000 } }), 130_000, []],
    ['not when none was ever opened', desired({ windows: { open: 0, zeroSinceMs: null } }), 1_000_000, []],
    ['not under ligado', desired({ windows: closed, document: 'ligado' }), 130_000, ['pin true']],
    [
      'not with manter',
      desired({ windows: closed, manifest: { ...notas, backend: { ...notas.backend, aoFechar: 'manter' } } }),
      130_000,
      [],
    ],
    ['not a service', desired({ windows: closed, manifest: { ...notas, kind: 'service' } }), 130_000, []],
  ] as const)('end the app %s', ([, want, nowMs, expected]) => {
    expect(acts(decideBackend(want, observed(alive()), answering(), nowMs))).toEqual(expected);
  });
});

describe('what is unknown', () => {
  it('is an app whose files its supervisor can not read: nothing is ordered but a stop that somebody asked for', () => {
    const unread = { state: 'unknown', reason: 'FilesUnreadable', message: "env can't be read: EIO", installed: null } as const;
    const memory = answering();
    const closed = { open: 0, zeroSinceMs: 10_000 };
    for (const want of [
      desired(),
      desired({ manifest: null }),
      desired({ document: 'desligado' }),
      desired({ windows: closed, manifest: { ...notas, backend: { ...notas.backend, aoFechar: 'encerrar' } } }),
      desired({ intent: intent('start', { atMs: 900_000 }) }),
    ]) {
      const decision = decideBackend(want, observed(alive(unread)), memory, 900_000);
      expect([decision.state, decision.reason, acts(decision)]).toEqual(['unknown', 'FilesUnreadable', []]);
      expect(decision.message).toBe("env can't be read: EIO; last known: running (Healthy)");
    }
    expect(acts(decideBackend(desired({ intent: intent('stop') }), observed(alive(unread)), memory, 2_000))).toEqual([
      'stop r1 StoppedByPerson',
    ]);
    const back = decideBackend(desired(), observed(alive()), memory, 901_000);
    expect([back.state, acts(back)]).toEqual(['running', []]);
  });
});

describe('a clock that was set back by a year', () => {
  const later = 365 * 86_400_000;

  it('does not keep the probes away', () => {
    const { memory } = decideBackend(desired(), observed(alive()), null, later);
    expect(acts(decideBackend(desired(), observed(alive()), memory, 1_000))).toEqual(['probe 1']);
  });

  it('does not keep a wish away that was sent before and not confirmed', () => {
    const pinned = desired({ document: 'ligado' });
    const { memory } = decideBackend(pinned, observed(stopped()), null, later);
    expect(acts(decideBackend(pinned, observed(stopped()), memory, 1_000))).toEqual([`start ligado-${later} pinned`]);
  });
});

const snapshots = option(
  record({
    state: constantFrom('stopped', 'starting', 'running', 'stopping', 'backoff', 'failed', 'unknown'),
    wanted: boolean(),
    pinned: boolean(),
    living: boolean(),
    listening: boolean(),
    requestId: constantFrom(null, 'r1', 'r1:stop', 'sessao-500'),
    hash: constantFrom('hash-1', 'hash-2'),
  }),
  { nil: null },
);
const worlds = record({
  host: constantFrom('reachable', 'reachable', 'reachable', 'unreachable', 'unknown'),
  supervisor: constantFrom('up', 'up', 'up', 'starting', 'down'),
  snapshot: snapshots,
  document: constantFrom(null, null, 'ligado', 'desligado'),
  wish: constantFrom(null, null, 'start', 'stop', 'restart'),
  open: integer({ min: 0, max: 2 }),
  installed: constantFrom(true, true, true, false),
  session: boolean(),
  kind: constantFrom('app', 'service'),
  code: constantFrom(0, 200, 401, 404, 500),
  probing: boolean(),
  stepMs: integer({ min: 0, max: 200_000 }),
} as const);

function inputsOf(world: typeof worlds extends { generate: (...args: never[]) => { value: infer Value } } ? Value : never, nowMs: number) {
  const { snapshot: seen } = world;
  const snapshot =
    seen === null
      ? null
      : stopped({
          state: seen.state,
          reason: 'Crashed',
          wanted: seen.wanted,
          pinned: seen.pinned,
          requestId: seen.requestId,
          process: seen.living ? { ...process, hash: seen.hash } : null,
          socket: seen.listening ? 'listening' : 'absent',
        });
  const want = desired({
    document: world.document,
    manifest: world.installed ? { ...notas, kind: world.kind } : null,
    installedHash: world.installed ? 'hash-1' : null,
    intent: world.wish === null ? null : intent(world.wish, { atMs: nowMs - 1_000 }),
    windows: { open: world.open, zeroSinceMs: world.open === 0 ? 10_000 : null },
    session: world.session,
    sessionSinceMs: world.session ? 500 : null,
  });
  const probe = { pid: process.pid, attempt: 1, code: world.code, byGate: false, atMs: nowMs };
  const sees = observed(snapshot, {
    host: { status: world.host, message: '' },
    supervisor: world.supervisor,
    probe,
    probing: world.probing,
  });
  return { want, sees };
}

describe('for every history', () => {
  it('decides with a reason, a deadline ahead, at most one order, and nothing new the second time', () => {
    let memory: BackendMemory | null = null;
    assert(
      property(array(worlds, { minLength: 1, maxLength: 12 }), (history) => {
        memory = null;
        let nowMs = 100_000;
        for (const world of history) {
          nowMs += world.stepMs;
          const { want, sees } = inputsOf(world, nowMs);
          const decision = decideBackend(want, sees, memory, nowMs);
          expect(reasons).toContain(decision.reason);
          expect(decision.nextDeadlineMs === null || decision.nextDeadlineMs > nowMs).toBe(true);
          expect(decision.actions.filter(({ kind }) => kind !== 'backend/probe').length).toBeLessThanOrEqual(1);
          const blind = world.host !== 'reachable' || world.supervisor !== 'up';
          expect(blind && decision.actions.length > 0).toBe(false);
          expect(world.host !== 'reachable' && decision.state !== 'unknown').toBe(false);
          expect(decision.state === 'stopped' && !blind && (sees.snapshot?.process ?? null) !== null).toBe(false);
          // The memory survives the store, and the same world decides the same with it.
          memory = JSON.parse(JSON.stringify(decision.memory)) as BackendMemory;
          expect(memory).toEqual(decision.memory);
          const again = decideBackend(want, sees, decision.memory, nowMs);
          expect(again.actions.filter(({ kind }) => kind !== 'backend/probe')).toEqual([]);
          const third = decideBackend(want, sees, again.memory, nowMs);
          expect(third.memory).toBe(again.memory);
          expect({ ...third, memory: null }).toEqual({ ...again, memory: null });
        }
      }),
      { numRuns: amount(500) },
    );
  }, 30_000);

  it('takes any code that a probe may bring', () => {
    assert(
      property(integer({ min: -10, max: 100_000 }), (code) => {
        const first = decideBackend(desired(), observed(alive()), null, 1_000);
        const probe = { pid: process.pid, attempt: 1, code, byGate: false, atMs: 1_010 };
        const decision = decideBackend(desired(), observed(alive(), { probe }), first.memory, 1_020);
        const ready = code >= 200 && code <= 499 && code !== 401 && code !== 403;
        expect(decision.ready).toBe(ready);
      }),
    );
  });
});
