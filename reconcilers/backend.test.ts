import { array, assert, boolean, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasons } from '../schema/reasons/derived.ts';
import { decideBackend } from './backend.ts';
import { acts, alive, answering, desired, intent, notas, observed, process, stopped } from './backend-fixtures.ts';
import type { BackendMemory } from './backend-types.ts';
import { amount } from '../test/support/amount.ts';

const minute = 60_000;

describe('an intent', () => {
  it('is ordered once, given again after 10 s without confirmation, and done when the supervisor names it', () => {
    const want = desired({ intent: intent('start') });
    const first = decideBackend(want, observed(stopped()), null, 1_000);
    expect(acts(first)).toEqual(['start r1']);
    expect([first.state, first.reason, first.nextDeadlineMs]).toEqual(['starting', 'StartRequested', 11_000]);
    const second = decideBackend(want, observed(stopped()), first.memory, 5_000);
    expect(acts(second)).toEqual([]);
    expect(second.memory).toBe(first.memory);
    const third = decideBackend(want, observed(stopped()), second.memory, 11_000);
    expect(acts(third)).toEqual(['start r1']);
    const done = decideBackend(want, observed(stopped({ state: 'starting', wanted: true, requestId: 'r1' })), third.memory, 11_050);
    expect([acts(done), done.finishedIntent, done.outcome]).toEqual([[], 'r1', 'done']);
  });

  it('waits while nobody can look, and is given again at once afterwards', () => {
    const want = desired({ intent: intent('start') });
    const first = decideBackend(want, observed(stopped()), null, 1_000);
    const blind = decideBackend(want, observed(stopped(), { supervisor: 'down' }), first.memory, 1_100);
    expect([acts(blind), blind.state, blind.reason, blind.finishedIntent]).toEqual([[], 'unknown', 'SupervisorStarting', null]);
    expect(acts(decideBackend(want, observed(stopped()), blind.memory, 1_200))).toEqual(['start r1']);
  });

  it('to stop is ordered for a stopped app too, because another order may be under way', () => {
    const decision = decideBackend(desired({ intent: intent('stop') }), observed(stopped()), null, 1_000);
    expect([acts(decision), decision.state, decision.nextDeadlineMs]).toEqual([['stop r1 StoppedByPerson'], 'stopped', 11_000]);
  });

  it('to stop ends at once for an app that the supervisor has never heard of', () => {
    const decision = decideBackend(desired({ intent: intent('stop') }), observed(null), null, 1_000);
    expect([acts(decision), decision.outcome]).toEqual([[], 'done']);
  });

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

  it('to start on other code ends the old process first', () => {
    const want = desired({ intent: intent('start'), installedHash: 'hash-2' });
    const decision = decideBackend(want, observed(alive()), answering(), 2_000);
    expect([acts(decision), decision.stale]).toEqual([['stop r1:stop HashChanged'], true]);
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

  it('to start is refused when the package is nowhere', () => {
    const want = desired({ intent: intent('start'), manifest: null, installedHash: null });
    const decision = decideBackend(want, observed(stopped({ installed: null })), null, 1_000);
    expect([decision.outcome, decision.state, decision.reason]).toEqual(['refused', 'stopped', 'NotInstalled']);
  });

  it('ends with what the supervisor refused for good', () => {
    const refused = { requestId: 'r1', reason: 'Invalid', message: 'no such app' } as const;
    const decision = decideBackend(desired({ intent: intent('start') }), observed(stopped(), { refused }), null, 1_000);
    expect([decision.finishedIntent, decision.outcome, acts(decision)]).toEqual(['r1', 'refused', []]);
    expect(decision.message).toContain('no such app');
  });

  it('to start is dropped after ten minutes, to stop never', () => {
    const far = { host: { status: 'unreachable', message: 'no route' } } as const;
    const late = 1_000 + 10 * minute;
    const start = (nowMs: number) => decideBackend(desired({ intent: intent('start') }), observed(alive(), far), answering(), nowMs);
    expect([start(late - 1).outcome, start(late).outcome]).toEqual([null, 'expired']);
    expect(decideBackend(desired({ intent: intent('stop') }), observed(alive(), far), answering(), late).outcome).toBeNull();
    // Also when somebody answers who never confirms it.
    expect(decideBackend(desired({ intent: intent('start') }), observed(stopped()), null, late)).toMatchObject({
      outcome: 'expired',
      actions: [],
    });
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

  it('ligado does not wake a failed app before its time, other code does, once', () => {
    const failed = stopped({ state: 'failed', reason: 'Crashed', wanted: true, pinned: true, failures: 5 });
    const want = desired({ document: 'ligado' });
    const first = decideBackend(want, observed(failed), null, 1_000);
    expect([acts(first), first.state]).toEqual([[], 'failed']);
    const mended = decideBackend({ ...want, installedHash: 'hash-2' }, observed(failed), first.memory, 2_000);
    expect(acts(mended)).toEqual(['start mended-2000 pinned']);
    const again = { ...failed, requestId: 'mended-2000' };
    const after = decideBackend({ ...want, installedHash: 'hash-2' }, observed(again), mended.memory, 60_000);
    expect([acts(after), after.memory.failedHash]).toEqual([[], 'hash-2']);
  });

  it('desligado ends what runs, whatever its windows', () => {
    const want = desired({ document: 'desligado', windows: { open: 2, zeroSinceMs: null } });
    expect(acts(decideBackend(want, observed(alive()), answering(), 2_000))).toEqual(['stop desligado-2000 PinnedStopped']);
  });

  it('desligado pins nothing any more once it is gone, whatever the supervisor remembers of the stop', () => {
    const pinned = observed(stopped({ reason: 'PinnedStopped' }));
    expect(decideBackend(desired({ document: 'desligado' }), pinned, null, 2_000)).toMatchObject({
      state: 'stopped',
      reason: 'PinnedStopped',
    });
    expect(decideBackend(desired(), pinned, null, 2_000)).toMatchObject({ state: 'stopped', reason: 'StoppedByAdmin' });
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

  it('say when they will end it', () => {
    expect(decideBackend(desired({ windows: closed }), observed(alive()), answering(), 20_000).nextDeadlineMs).toBe(130_000);
  });

  it('closed before a start was asked for do not end what was started', () => {
    const want = desired({ windows: closed, intent: intent('start', { atMs: 500_000 }) });
    const done = decideBackend(want, observed(alive({ requestId: 'r1' })), answering(), 500_100);
    expect([done.outcome, acts(done)]).toEqual(['done', []]);
    expect(acts(decideBackend(desired({ windows: closed }), observed(alive()), done.memory, 900_000))).toEqual([]);
  });
});

describe('a service', () => {
  const service = desired({ manifest: { ...notas, kind: 'service' } });
  it('starts with the session, once in it', () => {
    const first = decideBackend(service, observed(stopped()), null, 1_000);
    expect(acts(first)).toEqual(['start sessao-500']);
    const up = decideBackend(service, observed(alive({ requestId: 'sessao-500' })), first.memory, 1_500);
    const stoppedByHand = decideBackend(service, observed(stopped({ requestId: 'r9', reason: 'StoppedByPerson' })), up.memory, 60_000);
    expect(acts(stoppedByHand)).toEqual([]);
    const next = decideBackend({ ...service, sessionSinceMs: 90_000 }, observed(stopped()), stoppedByHand.memory, 90_001);
    expect(acts(next)).toEqual(['start sessao-90000']);
  });

  it('does not start without a session, nor when it waits for somebody to ask for its capability', () => {
    expect(acts(decideBackend({ ...service, session: false, sessionSinceMs: null }, observed(stopped()), null, 1_000))).toEqual([]);
    expect(acts(decideBackend({ ...service, session: false }, observed(stopped()), null, 1_000))).toEqual([]);
    const onDemand = desired({ manifest: { ...notas, kind: 'service', type: 'engine', provides: ['voz/v1'] } });
    expect(acts(decideBackend(onDemand, observed(stopped()), null, 1_000))).toEqual([]);
  });

  it.for([
    ['a service', 'service'],
    ['not a service', 'app'],
  ] as const)('starts an engine with a loader with the session, %s: no window and no icon would', ([, kind]) => {
    const engine = desired({ manifest: { ...notas, kind, type: 'engine', provides: ['voz/v1'], engine: { loader: 'voz.js' } } });
    const inSession = { ...engine, session: true, sessionSinceMs: 500 };
    const first = decideBackend(inSession, observed(stopped()), null, 1_000);
    expect(acts(first)).toEqual(['start sessao-500']);
    const up = decideBackend(inSession, observed(alive({ requestId: 'sessao-500' })), first.memory, 1_500);
    expect(acts(decideBackend(inSession, observed(stopped({ requestId: 'r9', reason: 'StoppedByPerson' })), up.memory, 60_000))).toEqual(
      [],
    );
    expect(acts(decideBackend({ ...inSession, session: false }, observed(stopped()), null, 1_000))).toEqual([]);
  });
});

describe('what is unknown', () => {
  it.for([
    ['unreachable', 'ServerUnreachable', 'last known: running (Healthy)'],
    ['unknown', 'NotObservedYet', 'last known: running (Healthy)'],
  ] as const)('stays unknown while the server is %s, with what was known last', ([status, reason, message]) => {
    const decision = decideBackend(desired(), observed(alive(), { host: { status, message: 'no route' } }), answering(), 2_000);
    expect([decision.state, decision.reason, acts(decision), decision.nextDeadlineMs]).toEqual(['unknown', reason, [], null]);
    expect(decision.message).toContain(message);
    expect(decision.conditions.find(({ type }) => type === 'Ready')?.status).toBe('Unknown');
  });

  it('counts no probe and goes on where it was', () => {
    const memory = answering();
    const blind = decideBackend(desired(), observed(alive(), { supervisor: 'down' }), memory, 2_000);
    expect(blind.memory.start).toBe(memory.start);
    const back = decideBackend(desired(), observed(alive()), blind.memory, 3_000);
    expect([back.state, acts(back)]).toEqual(['running', []]);
  });

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

  it('is not what a supervisor leaves that was ended on purpose', () => {
    const away = desired({ session: false, sessionSinceMs: null });
    const seen = decideBackend(away, observed(stopped({ reason: 'Idle' })), null, 1_000);
    const ended = decideBackend(away, observed(null, { supervisor: 'down' }), seen.memory, 2_000);
    expect([ended.state, ended.reason]).toEqual(['stopped', 'Idle']);
    expect(decideBackend(away, observed(null, { supervisor: 'down' }), null, 2_000)).toMatchObject({
      state: 'stopped',
      reason: 'NeverStarted',
    });
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

describe('probes', () => {
  it('are sent one at a time', () => {
    const first = decideBackend(desired(), observed(alive()), null, 1_000);
    expect(acts(first)).toEqual(['probe 1']);
    expect(acts(decideBackend(desired(), observed(alive(), { probing: true }), first.memory, 9_000))).toEqual([]);
  });

  it('of an earlier process say nothing about this one', () => {
    const next = alive({ process: { ...process, pid: 42, startTicks: 9 } });
    const probe = { pid: process.pid, attempt: 1, code: 200, byGate: false, atMs: 5_000 };
    const decision = decideBackend(desired(), observed(next, { probe }), answering(), 5_000);
    expect([decision.state, decision.reason, acts(decision)]).toEqual(['starting', 'Probing', ['probe 1']]);
  });

  it('are not spent on an app in set-up', () => {
    const step = { name: 'install', detail: 'npm ci', atMs: 0 } as const;
    const decision = decideBackend(desired(), observed(alive({ state: 'starting', socket: 'absent', step })), null, 1_000);
    expect([decision.state, decision.reason, acts(decision)]).toEqual(['starting', 'SettingUp', []]);
  });
});

describe('conditions', () => {
  it('change their time only with their status', () => {
    const memory = answering();
    const running = decideBackend(desired(), observed(alive()), memory, 50_000);
    expect(running.conditions.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True', reason: 'Healthy', sinceMs: 1_020 });
    const loose = alive({ contained: false, containedReason: 'lingering is off' });
    const decision = decideBackend(desired(), observed(loose), memory, 60_000);
    expect(decision.conditions.find(({ type }) => type === 'Contained')).toMatchObject({
      status: 'False',
      sinceMs: 60_000,
      message: 'lingering is off',
    });
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

describe('an app whose package is about to go', () => {
  const removing = desired({ removing: true, document: 'ligado' });

  it('is ended once, whatever a document says, and not started again', () => {
    const first = decideBackend(removing, observed(alive()), answering(), 2_000);
    expect(acts(first)).toEqual([expect.stringMatching(/^stop \S+ Uninstalled$/)]);
    const ended = decideBackend(removing, observed(stopped({ wanted: false })), first.memory, 3_000);
    expect(acts(ended)).toEqual([]);
    expect(acts(decideBackend({ ...removing, removing: false }, observed(stopped({ wanted: false })), ended.memory, 4_000))).toHaveLength(
      1,
    );
  });

  it('is told as removed only until other code stands there', () => {
    const gone = observed(stopped({ wanted: false, reason: 'Uninstalled' }));
    const told = (want: ReturnType<typeof desired>): string => decideBackend(want, gone, null, 3_000).reason;
    expect([told(desired({ removing: true })), told(desired())]).toEqual(['Uninstalled', 'Reinstalled']);
  });

  it('refuses a start and carries out a stop', () => {
    const start = decideBackend({ ...removing, intent: intent('start') }, observed(stopped()), null, 2_000);
    expect([start.outcome, start.message]).toEqual(['refused', expect.stringContaining('is being removed')]);
    const stop = decideBackend(desired({ removing: true, intent: intent('stop') }), observed(alive()), answering(), 2_000);
    expect(acts(stop)).toEqual(['stop r1 StoppedByPerson']);
  });
});
