import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reason } from '../schema/backend.ts';
import {
  advance,
  backoffMs,
  heldToClock,
  nextDeadlineMs,
  restartsAfter,
  stoppedSupervision,
  type Supervision,
  type SupervisionEvent,
  type SupervisionState,
} from './supervision.ts';

const start: SupervisionEvent = { type: 'START', reason: 'StartRequested' };
const stop: SupervisionEvent = { type: 'STOP', reason: 'StoppedByPerson' };
const died: SupervisionEvent = { type: 'PROCESS_DIED', reason: 'Crashed' };
const listening: SupervisionEvent = { type: 'PROCESS_SEEN', listening: true };
const tick: SupervisionEvent = { type: 'TICK' };

const given = (state: SupervisionState, over: Partial<Supervision> = {}): Supervision => ({ ...stoppedSupervision, state, ...over });
const kinds = (effects: readonly { kind: string }[]) => effects.map((effect) => effect.kind);

/** Runs events at times and tells the state, the effects and the next deadline after each. */
function run(from: Supervision, steps: readonly (readonly [number, SupervisionEvent])[]) {
  let current = from;
  return steps.map(([nowMs, event]) => {
    const { next, effects } = advance(current, event, nowMs);
    current = next;
    return [next.state, next.failures, nextDeadlineMs(next), kinds(effects).join(' ')];
  });
}

test('restarts count what nobody asked for, from the last start on', () => {
  const counted = (from: Supervision, restarts: number, event: SupervisionEvent, nowMs = 1_000): number =>
    restartsAfter(restarts, from, event, advance(from, event, nowMs).effects);
  const running = given('running');
  expect(counted(running, 0, died)).toBe(0);
  expect(counted(given('backoff', { failures: 1, lastFailureAtMs: 0, nextAttemptAtMs: 900 }), 0, tick)).toBe(1);
  expect(counted(given('backoff', { failures: 2, lastFailureAtMs: 0, nextAttemptAtMs: 900 }), 1, tick)).toBe(2);
  expect(counted(running, 2, { type: 'PROCESS_DIED', reason: 'HashChanged' })).toBe(2);
  expect(counted(running, 2, start)).toBe(2);
  expect(counted(running, 2, stop)).toBe(2);
  expect(counted(given('stopped'), 2, start)).toBe(0);
  expect(counted(given('failed', { nextAttemptAtMs: null }), 5, start)).toBe(0);
  const gone: SupervisionEvent = { type: 'GONE' };
  expect(counted(given('stopping', { relaunch: true, reason: 'HashChanged' }), 2, gone)).toBe(2);
  expect(counted(given('stopping', { relaunch: true, reason: 'SocketLost' }), 0, gone)).toBe(1);
  expect(counted(given('stopping', { relaunch: true, reason: 'SocketLost' }), 2, gone)).toBe(3);
  // Asked for while it is being ended: at once when it was to end, and no news when it is to come again anyway.
  expect(counted(given('stopping'), 2, start)).toBe(0);
  expect(counted(given('stopping'), 2, { type: 'WANTED' })).toBe(0);
  expect(counted(given('stopping', { relaunch: true, reason: 'SocketLost' }), 2, start)).toBe(2);
});

test('an env file that was mended, by hand or by the portal, leaves the restarts as they were', () => {
  const refused = given('failed', { reason: 'EnvFileDamaged', nextAttemptAtMs: null });
  for (const event of [{ type: 'WAKE' }, { type: 'START', reason: 'StartRequested', isMend: true }] as const) {
    const { next, effects } = advance(refused, event, 1_000);
    expect([next.state, restartsAfter(1, refused, event, effects)]).toEqual(['starting', 1]);
  }
});

test('a lost socket neither counts as a failure nor forgives one; other code forgives', () => {
  const crashed = given('running', { failures: 3, lastFailureAtMs: 900 });
  const lost = advance(crashed, { type: 'REPLACE', reason: 'SocketLost' }, 1_000).next;
  expect(advance(lost, { type: 'GONE' }, 1_100).next).toMatchObject({ failures: 3, lastFailureAtMs: 900 });
  expect(advance(crashed, { type: 'REPLACE', reason: 'HashChanged' }, 1_000).next).toMatchObject({ failures: 0, lastFailureAtMs: null });
});

test('what is being replaced can be stopped, and what was being stopped starts: each for its own reason', () => {
  const replacing = advance(given('running'), { type: 'REPLACE', reason: 'SocketLost' }, 1_000).next;
  expect(advance(replacing, { type: 'GONE' }, 1_100).next).toMatchObject({ state: 'starting', reason: 'SocketLost' });
  const stopped = advance(advance(replacing, stop, 1_050).next, { type: 'GONE' }, 1_100).next;
  expect(stopped).toMatchObject({ state: 'stopped', reason: 'StoppedByPerson' });
  const stopping = advance(given('running'), stop, 1_000).next;
  const late = advance(stopping, { type: 'STOP', reason: 'StoppedByAdmin' }, 1_010).next;
  expect(advance(late, { type: 'GONE' }, 1_100).next).toMatchObject({ state: 'stopped', reason: 'StoppedByPerson' });
  const again = advance(advance(stopping, start, 1_050).next, { type: 'GONE' }, 1_100).next;
  expect(again).toMatchObject({ state: 'starting', reason: 'StartRequested' });
});

describe('backoff', () => {
  test.for([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, 16_000],
    [6, 32_000],
    [7, 60_000],
    [40, 60_000],
    [5_000, 60_000],
  ] as const)('after failure %i the wait is %i ms', ([failures, waitMs]) => {
    expect(backoffMs(failures)).toBe(waitMs);
  });

  test('an app that always crashes goes through the whole sequence and gets another chance after 600 s', () => {
    expect(
      run(stoppedSupervision, [
        [0, start],
        [1, listening],
        [1_000, died], // 1: 1 s
        [1_999, tick],
        [2_000, tick],
        [2_001, listening],
        [3_000, died], // 2: 2 s
        [5_000, tick],
        [6_000, died], // 3: 4 s
        [10_000, tick],
        [11_000, died], // 4: 8 s
        [19_000, tick],
        [20_000, died], // 5: failed
        [619_999, tick],
        [620_000, tick],
        [621_000, died],
      ]),
    ).toEqual([
      ['starting', 0, null, 'launch'],
      ['running', 0, null, ''],
      ['backoff', 1, 2_000, 'sweep'],
      ['backoff', 1, 2_000, ''],
      ['starting', 1, 601_000, 'launch'],
      ['running', 1, 601_000, ''],
      ['backoff', 2, 5_000, 'sweep'],
      ['starting', 2, 603_000, 'launch'],
      ['backoff', 3, 10_000, 'sweep'],
      ['starting', 3, 606_000, 'launch'],
      ['backoff', 4, 19_000, 'sweep'],
      ['starting', 4, 611_000, 'launch'],
      ['failed', 5, 620_000, 'sweep'],
      ['failed', 5, 620_000, ''],
      ['starting', 0, null, 'launch'],
      ['backoff', 1, 622_000, 'sweep'],
    ]);
  });

  test('600 s without a failure reset the counter of a running app, by a tick', () => {
    const running = given('running', { failures: 4, lastFailureAtMs: 50_000 });
    expect(nextDeadlineMs(running)).toBe(650_000);
    expect(advance(running, tick, 649_999).next.failures).toBe(4);
    const { next } = advance(running, tick, 650_000);
    expect([next.failures, next.lastFailureAtMs, nextDeadlineMs(next)]).toEqual([0, null, null]);
  });

  test('a failure after 600 s of silence counts as the first even when no tick came between', () => {
    const { next, effects } = advance(given('running', { failures: 4, lastFailureAtMs: 0 }), died, 600_000);
    expect([next.state, next.failures, kinds(effects)]).toEqual(['backoff', 1, ['sweep']]);
    expect(advance(given('running', { failures: 4, lastFailureAtMs: 0 }), died, 599_999).next.state).toBe('failed');
  });
});

describe('a manual start', () => {
  test.for([
    ['stopped', 'starting', 'launch'],
    ['starting', 'starting', ''],
    ['running', 'running', ''],
    ['backoff', 'starting', 'launch'],
    ['failed', 'starting', 'launch'],
  ] as const)('in %s leads to %s and forgets the failures', ([state, to, effects]) => {
    const from = given(state, { failures: 4, lastFailureAtMs: 10, nextAttemptAtMs: 99_999 });
    const result = advance(from, start, 20);
    expect([result.next.state, result.next.failures, result.next.lastFailureAtMs]).toEqual([to, 0, null]);
    expect(kinds(result.effects).join(' ')).toBe(effects);
  });

  test('in stopping waits until the old process is gone', () => {
    const stopping = advance(given('running'), stop, 0).next;
    const asked = advance(stopping, start, 5);
    expect([asked.next.state, asked.effects]).toEqual(['stopping', []]);
    const gone = advance(asked.next, { type: 'GONE' }, 10);
    expect([gone.next.state, kinds(gone.effects)]).toEqual(['starting', ['launch']]);
  });
});

describe('stop is legal in every state', () => {
  test.for([
    ['stopped', 'stopped', 'deleteEnv'],
    ['starting', 'stopping', 'deleteEnv terminate'],
    ['running', 'stopping', 'deleteEnv terminate'],
    ['stopping', 'stopping', 'deleteEnv'],
    ['backoff', 'stopped', 'deleteEnv'],
    ['failed', 'stopped', 'deleteEnv'],
  ] as const)('%s → %s: %s', ([state, to, effects]) => {
    const result = advance(given(state, { failures: 3, lastFailureAtMs: 1, relaunch: state === 'stopping', killAtMs: 7 }), stop, 10);
    expect(result.next.state).toBe(to);
    expect(result.next.relaunch).toBe(false);
    expect(kinds(result.effects).join(' ')).toBe(effects);
  });

  test('SIGTERM, 10 s, SIGKILL, and again every 5 s until the process is gone', () => {
    expect(
      run(given('running'), [
        [0, stop],
        [9_999, tick],
        [10_000, tick],
        [14_999, tick],
        [15_000, tick],
        [15_100, { type: 'GONE' }],
      ]),
    ).toEqual([
      ['stopping', 0, 10_000, 'deleteEnv terminate'],
      ['stopping', 0, 10_000, ''],
      ['stopping', 0, 15_000, 'kill'],
      ['stopping', 0, 15_000, ''],
      ['stopping', 0, 20_000, 'kill'],
      ['stopped', 0, null, ''],
    ]);
  });

  test('a death while stopping is no failure', () => {
    const stopping = advance(given('running'), stop, 0).next;
    expect(advance(stopping, died, 5)).toEqual({ next: stopping, effects: [] });
  });
});

describe('refusals of the launcher', () => {
  test('a terminal one (no GPU) stays failed with no deadline until somebody asks or something changes', () => {
    const refused = advance(given('starting'), { type: 'LAUNCH_REFUSED', reason: 'NoGpu', retry: 'terminal' }, 5).next;
    expect([refused.state, refused.reason, refused.failures, nextDeadlineMs(refused)]).toEqual(['failed', 'NoGpu', 0, null]);
    expect(advance(refused, tick, 10_000_000).next).toEqual(refused);
    expect(advance(refused, start, 6).next.state).toBe('starting');
    expect(advance(refused, { type: 'WAKE' }, 6).next.state).toBe('starting');
  });

  test('a waiting one (disk full) is looked at again after a minute and costs no failure', () => {
    const refused = advance(given('starting'), { type: 'LAUNCH_REFUSED', reason: 'DiskFull', retry: 'waiting' }, 5).next;
    expect([refused.state, refused.failures, nextDeadlineMs(refused)]).toEqual(['backoff', 0, 60_005]);
    expect(advance(refused, tick, 60_005).next.state).toBe('starting');
  });

  test('a transient one (installCommand) counts like a crash', () => {
    const from = given('starting', { failures: 1, lastFailureAtMs: 0 });
    const refused = advance(from, { type: 'LAUNCH_REFUSED', reason: 'InstallCommandFailed', retry: 'transient' }, 5).next;
    expect([refused.state, refused.reason, refused.failures, nextDeadlineMs(refused)]).toEqual([
      'backoff',
      'InstallCommandFailed',
      2,
      2_005,
    ]);
  });

  test('a change does not cut the wait of an app that failed five times', () => {
    const failed = given('failed', { failures: 5, lastFailureAtMs: 0, nextAttemptAtMs: 600_000 });
    expect(advance(failed, { type: 'WAKE' }, 5).next).toEqual(failed);
  });
});

describe('finding things as they are', () => {
  test('a wanted app without a process is launched without forgetting failures', () => {
    const { next, effects } = advance(given('stopped', { failures: 3, lastFailureAtMs: 9 }), { type: 'WANTED' }, 10);
    expect([next.state, next.failures, kinds(effects)]).toEqual(['starting', 3, ['launch']]);
  });

  test.for(['stopped', 'backoff', 'failed'] as const)('a living process is adopted from %s', (state) => {
    expect(advance(given(state, { nextAttemptAtMs: 9 }), listening, 5).next).toMatchObject({
      state: 'running',
      reason: 'Adopted',
      nextAttemptAtMs: null,
    });
    expect(advance(given(state), { type: 'PROCESS_SEEN', listening: false }, 5).next.state).toBe('starting');
  });

  test('other code on disk: the old process ends first, then the new one starts', () => {
    const replacing = advance(given('running'), { type: 'REPLACE', reason: 'HashChanged' }, 0);
    expect([replacing.next.state, kinds(replacing.effects)]).toEqual(['stopping', ['terminate']]);
    const gone = advance(replacing.next, { type: 'GONE' }, 50);
    expect([gone.next.state, kinds(gone.effects)]).toEqual(['starting', ['launch']]);
  });
});

describe('whatever happens', () => {
  const anyEvent: fc.Arbitrary<SupervisionEvent> = fc.constantFrom<SupervisionEvent>(
    start,
    stop,
    died,
    listening,
    tick,
    { type: 'WANTED' },
    { type: 'WAKE' },
    { type: 'GONE' },
    { type: 'PROCESS_SEEN', listening: false },
    { type: 'REPLACE', reason: 'HashChanged' },
    { type: 'LAUNCH_REFUSED', reason: 'NoGpu', retry: 'terminal' },
    { type: 'LAUNCH_REFUSED', reason: 'DiskFull', retry: 'waiting' },
  );
  const history = fc.array(fc.tuple(fc.integer({ min: 0, max: 700_000 }), anyEvent), { maxLength: 60 });

  test('nothing is launched while a process may live, the state is plain JSON, and waiting states have a deadline', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let current = stoppedSupervision;
        let nowMs = 0;
        let maybeAlive = false;
        for (const [wait, event] of steps) {
          // The world only says what can be so.
          if ((event.type === 'PROCESS_DIED' || event.type === 'LAUNCH_REFUSED') && current.state === 'stopping') continue;
          if (event.type === 'GONE' && current.state !== 'stopping') continue;
          nowMs += wait;
          if (event.type === 'PROCESS_DIED' || event.type === 'LAUNCH_REFUSED' || event.type === 'GONE') maybeAlive = false;
          if (event.type === 'PROCESS_SEEN') maybeAlive = true;
          const { next, effects } = advance(current, event, nowMs);
          for (const effect of effects) {
            if (effect.kind !== 'launch') continue;
            if (maybeAlive) throw new Error(`two processes: ${current.state} ${event.type}`);
            maybeAlive = true;
          }
          expect(JSON.parse(JSON.stringify(next))).toEqual(next);
          const waits = next.state === 'stopping' || next.state === 'backoff';
          expect(waits && nextDeadlineMs(next) === null).toBe(false);
          expect(event.type === 'STOP' && !['stopped', 'stopping'].includes(next.state)).toBe(false);
          current = next;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a clock that was set back by a year', () => {
  const yearMs = 365 * 86_400_000;
  const nowMs = 1_000_000;
  test.for<[SupervisionState, Partial<Supervision>, number]>([
    ['backoff', { failures: 2, lastFailureAtMs: nowMs + yearMs, nextAttemptAtMs: nowMs + yearMs + 2_000 }, 60_000],
    ['failed', { failures: 5, lastFailureAtMs: nowMs + yearMs, nextAttemptAtMs: nowMs + yearMs + 600_000 }, 600_000],
    ['stopping', { killAtMs: nowMs + yearMs + 10_000 }, 10_000],
    ['running', { failures: 1, lastFailureAtMs: nowMs + yearMs }, 600_000],
  ])('%s %j waits %i ms at most', ([state, over, waitMs]) => {
    expect(nextDeadlineMs(heldToClock(given(state, over), nowMs))).toBe(nowMs + waitMs);
  });

  test('and a deadline that can be right stays what it was', () => {
    const kept = given('backoff', { failures: 3, lastFailureAtMs: nowMs, nextAttemptAtMs: nowMs + 4_000 });
    expect(heldToClock(kept, nowMs)).toBe(kept);
    const waiting = given('failed', { nextAttemptAtMs: null });
    expect(heldToClock(waiting, nowMs)).toBe(waiting);
  });
});

describe('an end that the service manager of the account brought', () => {
  const lost: SupervisionEvent = { type: 'PROCESS_DIED', reason: 'LingerBroken' };
  test('is followed by a start at once, however often, and never counts as a failure', () => {
    const steps = run(given('running', { failures: 4, lastFailureAtMs: 900 }), [
      [1_000, lost],
      [1_100, lost],
      [1_200, listening],
      [1_300, lost],
    ]);
    expect(steps.map(([state, failures]) => [state, failures])).toEqual([
      ['starting', 4],
      ['starting', 4],
      ['running', 4],
      ['starting', 4],
    ]);
    expect(steps[0]?.[3]).toBe('sweep launch');
  });

  test('and so is one that the installer brought, because other code stands there now', () => {
    const steps = run(given('running', { failures: 2, lastFailureAtMs: 900 }), [
      [1_000, { type: 'PROCESS_DIED', reason: 'HashChanged' }],
      [1_100, { type: 'PROCESS_DIED', reason: 'Crashed' }],
    ]);
    expect(steps.map(([state, failures]) => [state, failures])).toEqual([
      ['starting', 2],
      ['backoff', 3],
    ]);
  });
});

describe('each row of the table', () => {
  const refused = (retry: 'terminal' | 'waiting' | 'transient', reason: Reason = 'InstallCommandFailed'): SupervisionEvent => ({
    type: 'LAUNCH_REFUSED',
    retry,
    reason,
  });
  const lost: SupervisionEvent = { type: 'PROCESS_DIED', reason: 'HashChanged' };
  const failing = (failures: number) => ({ failures, lastFailureAtMs: 900 });
  test.for<readonly [SupervisionState, Partial<Supervision>, SupervisionEvent, SupervisionState, string]>([
    ['starting', {}, { type: 'PROCESS_SEEN', listening: false }, 'starting', ''],
    ['starting', {}, died, 'backoff', 'sweep'],
    ['starting', {}, lost, 'starting', 'sweep launch'],
    ['starting', failing(4), died, 'failed', 'sweep'],
    ['starting', {}, refused('terminal'), 'failed', ''],
    ['starting', {}, refused('waiting'), 'backoff', ''],
    ['starting', {}, refused('transient'), 'backoff', 'sweep'],
    ['starting', failing(4), refused('transient'), 'failed', 'sweep'],
    ['starting', {}, { type: 'REPLACE', reason: 'HashChanged' }, 'stopping', 'terminate'],
    ['running', {}, { type: 'REPLACE', reason: 'HashChanged' }, 'stopping', 'terminate'],
    ['running', {}, died, 'backoff', 'sweep'],
    ['running', {}, lost, 'starting', 'sweep launch'],
    ['running', failing(4), died, 'failed', 'sweep'],
    ['backoff', { nextAttemptAtMs: 9_000 }, { type: 'WAKE' }, 'starting', 'launch'],
    ['failed', {}, { type: 'WAKE' }, 'starting', 'launch'],
    ['failed', { nextAttemptAtMs: 9_000 }, { type: 'WAKE' }, 'failed', ''],
  ])('%s %o × %o', ([state, over, event, next, effects]) => {
    const step = advance(given(state, over), event, 1_000);
    expect([step.next.state, kinds(step.effects).join(' ')]).toEqual([next, effects]);
  });

  test.for(['starting', 'running'] as const)('%s is forgiven after 600 s of silence, not a moment sooner', (state) => {
    const at = (nowMs: number) => advance(given(state, failing(3)), tick, nowMs).next.failures;
    expect([at(600_899), at(600_900)]).toEqual([3, 0]);
  });

  test('starting fails by its own launcher only: a process of it that is not listening leaves the reason', () => {
    const seen = advance(given('starting', { reason: 'StartRequested' }), { type: 'PROCESS_SEEN', listening: false }, 1_000);
    expect(seen.next).toEqual(given('starting', { reason: 'StartRequested' }));
  });

  test('stopping starts again when it is wanted, and only then', () => {
    const wanted = advance(given('stopping', { killAtMs: 9_000 }), { type: 'WANTED' }, 1_000).next;
    expect([wanted.relaunch, advance(wanted, { type: 'GONE' }, 1_100).next.state]).toEqual([true, 'starting']);
  });
});
