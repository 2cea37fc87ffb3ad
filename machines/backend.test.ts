/** The table of rules 3.3 as far as the portal drives it, and the probes of 3.2: state × event → state and effects. */
import { describe, expect, it } from 'vitest';
import type { BackendState } from '../schema/backend.ts';
import { advanceBackend, seen, type BackendEvent, type BackendLife, type Saw } from './backend.ts';
import type { Facts, SentOrder, Wish } from './backend-order.ts';
import type { StartContext } from './backend-start.ts';

const nobody: Facts = { process: false, living: false, over: true, confirmed: null };
const waits: Facts = { ...nobody, over: false };
const lives: Facts = { process: true, living: true, over: false, confirmed: null };
const ends: Facts = { ...lives, living: false };
const start: Wish = { type: 'start', cause: 'intent', requestId: 'r1', reason: 'StartRequested', replace: null };
const replace: Wish = { ...start, replace: 'HashChanged' };
const stop: Wish = { type: 'stop', cause: 'intent', requestId: 'r2', reason: 'StoppedByPerson' };
const process: BackendEvent = { type: 'process', pid: 41, startTicks: 7, listening: true };
const tick: BackendEvent = { type: 'tick', inFlight: false };

function of(state: BackendState, changes: Partial<BackendLife> = {}): BackendLife {
  return { state, reason: 'NotObservedYet', start: null, sent: null, ...changes };
}

function probed(value: 'probing' | 'slow' | 'ready', changes: Partial<StartContext> = {}): Pick<BackendLife, 'start'> {
  const context = {
    pid: 41,
    startTicks: 7,
    sinceMs: 0,
    attempts: 1,
    answered: 0,
    code: null,
    nextAtMs: 2_000,
    listening: true,
    ...changes,
  };
  return { start: { value, context } };
}

const sentAs = (op: SentOrder['op'], requestId: string, atMs: number, cause: SentOrder['cause'] = 'intent'): Pick<BackendLife, 'sent'> => ({
  sent: { op, cause, requestId, atMs },
});

/** At 1,000 ms. */
function after(before: BackendLife, ...events: readonly BackendEvent[]) {
  const { state, reason, ordered, effects, start: known, sent } = advanceBackend(before, 1_000)(...events);
  const told = effects.map((effect) => {
    if (effect.kind === 'start') return `start ${effect.requestId}${effect.isMend ? ' mend' : ''}`;
    const { kind, ...rest } = effect;
    return [kind, ...Object.values(rest)].join(' ');
  });
  return { state, reason, ordered, effects: told, probes: known?.value ?? null, start: known?.context ?? null, sent };
}

describe('what the supervisor says', () => {
  it.for([
    ['sawStopped', 'stopped'],
    ['sawComing', 'starting'],
    ['sawLiving', 'starting'],
    ['sawEnding', 'stopping'],
    ['sawBackoff', 'backoff'],
    ['sawFailed', 'failed'],
    ['sawNothing', 'unknown'],
    ['sightLost', 'unknown'],
    ['supervisorEnded', 'stopped'],
  ] satisfies readonly (readonly [Saw, BackendState])[])(
    '%s is shown as %s while nothing is ordered, whatever was before',
    ([saw, state]) => {
      for (const before of ['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed', 'unknown'] as const)
        expect(after(of(before), seen(saw, 'Crashed'))).toMatchObject({ state, reason: 'Crashed', ordered: null, effects: [] });
    },
  );

  it('of a process that answered its probe is running', () => {
    for (const before of ['stopped', 'starting', 'running', 'unknown'] as const)
      expect(after(of(before, probed('ready')), seen('sawLiving', 'Healthy')).state).toBe('running');
  });

  it('forgets the order under way when nobody can look, and keeps what the probes said', () => {
    for (const saw of ['sightLost', 'supervisorEnded'] as const) {
      const blind = after(of('running', { ...probed('ready'), ...sentAs('start', 'r1', 900) }), seen(saw, 'ServerUnreachable'));
      expect([blind.sent, blind.probes]).toEqual([null, 'ready']);
    }
    expect(after(of('running', sentAs('start', 'r1', 900)), seen('sawNothing', 'FilesUnreadable')).sent).not.toBeNull();
  });
});

describe('a wish', () => {
  it.for<readonly [string, BackendLife, Wish & Facts, Partial<ReturnType<typeof after>>]>([
    [
      'stopped × start',
      of('stopped'),
      { ...start, ...nobody },
      { state: 'starting', ordered: 'start', reason: 'StartRequested', effects: ['start r1'] },
    ],
    ['backoff × start', of('backoff'), { ...start, ...waits }, { state: 'starting', ordered: 'start', effects: ['start r1'] }],
    ['stopping × start', of('stopping'), { ...start, ...ends }, { state: 'starting', ordered: 'start', effects: ['start r1'] }],
    ['running × start', of('running'), { ...start, ...lives }, { state: 'running', ordered: null, effects: ['start r1'] }],
    [
      'running × start on other code',
      of('running'),
      { ...replace, ...lives },
      { state: 'stopping', ordered: 'stop', reason: 'HashChanged', effects: ['stop r1:stop HashChanged'] },
    ],
    [
      'stopping × start on other code',
      of('stopping'),
      { ...replace, ...ends },
      { state: 'stopping', ordered: 'stop', effects: ['stop r1:stop HashChanged'] },
    ],
    [
      'stopped × start on other code',
      of('stopped'),
      { ...replace, ...nobody },
      { state: 'starting', ordered: 'start', effects: ['start r1'] },
    ],
    [
      'the second half of a restart × the old process seen once more',
      of('starting', sentAs('start', 'r1', 900)),
      { ...replace, ...lives },
      { state: 'starting', ordered: null, effects: [] },
    ],
    [
      'running × stop',
      of('running'),
      { ...stop, ...lives },
      { state: 'stopping', ordered: 'stop', reason: 'StoppedByPerson', effects: ['stop r2 StoppedByPerson'] },
    ],
    ['failed × stop', of('failed'), { ...stop, ...waits }, { state: 'stopping', ordered: 'stop', effects: ['stop r2 StoppedByPerson'] }],
    ['stopped × stop', of('stopped'), { ...stop, ...nobody }, { state: 'stopped', ordered: null, effects: ['stop r2 StoppedByPerson'] }],
    ['running × pin', of('running'), { type: 'pin', pinned: true, ...lives }, { state: 'running', ordered: null, effects: ['pin true'] }],
    ['running × unpin', of('running'), { type: 'pin', pinned: false, ...lives }, { state: 'running', effects: ['pin false'] }],
    [
      'running × nothing',
      of('running', sentAs('start', 'r1', 900)),
      { type: 'nothing', ...lives },
      { state: 'running', effects: [], ...sentAs('start', 'r1', 900) },
    ],
  ])('%s', ([, before, wish, expected]) => {
    expect(after(before, wish)).toMatchObject(expected);
  });

  it('that is under way is shown whatever the supervisor still says, and ends with the wish', () => {
    const says = ['sawStopped', 'sawComing', 'sawLiving', 'sawEnding', 'sawBackoff', 'sawFailed', 'sawNothing'] as const;
    for (const saw of says) {
      const starting = after(of('stopped'), { ...start, ...nobody }, seen(saw, 'Crashed'));
      expect(starting).toMatchObject({ state: 'starting', ordered: 'start', reason: 'StartRequested' });
      const stopping = after(of('running', probed('ready')), { ...stop, ...lives }, seen(saw, 'Crashed'));
      expect(stopping).toMatchObject({ state: 'stopping', ordered: 'stop', reason: 'StoppedByPerson' });
    }
    expect(after(of('starting'), { type: 'nothing', ...nobody }, seen('sawStopped', 'Crashed'))).toMatchObject({
      state: 'stopped',
      ordered: null,
    });
  });

  it.for<readonly [string, Wish, SentOrder['op'], SentOrder['cause'], string]>([
    ['start', start, 'start', 'intent', 'r1'],
    ['stop', stop, 'stop', 'intent', 'r2'],
    ['end for a restart', replace, 'stop', 'intent', 'r1:stop'],
    ['end by windows', { type: 'windowsClosed', sinceMs: -200_000 }, 'stop', 'windows', 'janelas--200000'],
    ['pin', { type: 'pin', pinned: true }, 'pin', 'ligado', 'pin-true'],
  ])('to %s waits ten seconds for its confirmation, then is given again under its own id', ([, wish, op, cause, requestId]) => {
    const given = (atMs: number) => after(of('running', sentAs(op, requestId, atMs, cause)), { ...wish, ...lives });
    expect([given(1_000).effects, given(-8_999).effects]).toEqual([[], []]);
    const again = given(-9_000);
    expect(again.effects).toHaveLength(1);
    expect(again.sent).toEqual({ op, cause, requestId, atMs: 1_000 });
    // Sent in the future: the clock was set back.
    expect(given(1_001).effects).toHaveLength(1);
  });

  it('without an id of its own gets one, keeps it while it is not confirmed, and gets another after that', () => {
    const level: Wish = { ...start, cause: 'ligado', requestId: null };
    expect(after(of('stopped'), { ...level, ...nobody }).effects).toEqual(['start ligado-1000']);
    const sent = of('stopped', sentAs('start', 'ligado-1', -20_000, 'ligado'));
    expect(after(sent, { ...level, ...nobody }).effects).toEqual(['start ligado-1']);
    expect(after(sent, { ...level, ...nobody, confirmed: 'ligado-1' }).effects).toEqual(['start ligado-1000']);
    expect(after(sent, { ...level, cause: 'mended', ...nobody }).effects).toEqual(['start mended-1000']);
    expect(after(sent, { ...level, cause: 'rewritten', ...nobody }).effects).toEqual(['start rewritten-1000 mend']);
    expect(after(sent, { ...start, cause: 'ligado', requestId: 'r7', ...nobody }).effects).toEqual(['start r7']);
  });

  it.for([
    [
      'two minutes after the last window',
      -119_000,
      lives,
      { state: 'stopping', ordered: 'stop', reason: 'LastWindowClosed', effects: ['stop janelas--119000 LastWindowClosed'] },
    ],
    ['not a moment sooner', -118_999, lives, { state: 'running', ordered: null, effects: [] }],
    [
      'also when nothing of it is left but its wish',
      -119_000,
      nobody,
      { state: 'running', ordered: null, effects: ['stop janelas--119000 LastWindowClosed'] },
    ],
  ] as const)('of nobody with a window open ends the app %s', ([, sinceMs, facts, expected]) => {
    expect(after(of('running'), { type: 'windowsClosed', sinceMs, ...facts })).toMatchObject(expected);
  });

  it('forgets that a file was written anew once a process came up of it', () => {
    const rewritten = of('running', sentAs('start', 'x', 900, 'rewritten'));
    for (const wish of [{ type: 'nothing' }, { type: 'windowsClosed', sinceMs: 999 }] as const) {
      expect(after(rewritten, { ...wish, ...lives }).sent).toBeNull();
      expect(after(rewritten, { ...wish, ...waits }).sent).not.toBeNull();
      expect(after(of('running', sentAs('start', 'x', 900, 'mended')), { ...wish, ...lives }).sent).not.toBeNull();
    }
  });
});

describe('a process', () => {
  it('is probed at once, and the next time a second later', () => {
    const first = after(of('starting'), process, tick);
    expect([first.effects, first.probes, first.start]).toEqual([
      ['probe 1'],
      'probing',
      { pid: 41, startTicks: 7, sinceMs: 1_000, attempts: 1, answered: 0, code: null, nextAtMs: 2_000, listening: true },
    ]);
  });

  it.for([
    ['its pid', { pid: 42 }],
    ['its start', { startTicks: 8 }],
  ] as const)('is another one by %s, and begins anew', ([, changes]) => {
    for (const value of ['probing', 'slow', 'ready'] as const) {
      const other = after(of('running', probed(value, { attempts: 9 })), { ...process, ...changes }, tick);
      expect([other.probes, other.effects]).toEqual(['probing', ['probe 1']]);
    }
  });

  it('that is not there ends its probes', () => {
    for (const value of ['probing', 'slow', 'ready'] as const)
      expect(after(of('running', probed(value)), { type: 'noProcess' }, tick)).toMatchObject({ probes: null, effects: [] });
  });

  it('is probed when due and while none is out, never once it is ready', () => {
    const due = probed('probing', { nextAtMs: 1_000 });
    expect(after(of('starting', due), process, tick).effects).toEqual(['probe 2']);
    expect(after(of('starting', due), process, { type: 'tick', inFlight: true }).effects).toEqual([]);
    expect(after(of('starting', probed('probing', { nextAtMs: 1_001 })), process, tick).effects).toEqual([]);
    expect(after(of('running', probed('ready', { nextAtMs: 0 })), process, tick).effects).toEqual([]);
    expect(after(of('starting', probed('slow', { nextAtMs: 1_000, attempts: 20 })), process, tick)).toMatchObject({
      effects: ['probe 21'],
      probes: 'slow',
    });
    expect(after(of('starting', probed('slow', { nextAtMs: 1_001, attempts: 20 })), process, tick).effects).toEqual([]);
  });

  it('whose socket appears is probed at once, and once only', () => {
    for (const value of ['probing', 'slow'] as const) {
      const appeared = after(of('starting', probed(value, { listening: false })), process, tick);
      expect([appeared.effects, appeared.start?.listening]).toEqual([['probe 2'], true]);
      expect(after(of('starting', probed(value)), process, tick).effects).toEqual([]);
      const gone = after(of('starting', probed(value)), { ...process, listening: false }, tick);
      expect([gone.effects, gone.start?.listening]).toEqual([[], false]);
    }
  });

  it.for([
    ['that began in the future', { sinceMs: 1_001 }],
    ['whose next probe is further away than any wait', { nextAtMs: 31_001 }],
  ] as const)('%s met a clock that was set back, and begins anew', ([, changes]) => {
    for (const value of ['probing', 'slow'] as const)
      expect(after(of('starting', probed(value, { attempts: 9, ...changes })), process, tick)).toMatchObject({
        probes: 'probing',
        effects: ['probe 1'],
      });
    expect(after(of('running', probed('ready', { attempts: 9, ...changes })), process, tick)).toMatchObject({
      probes: 'ready',
      effects: [],
    });
    expect(after(of('starting', probed('probing', { attempts: 9, sinceMs: 1_000, nextAtMs: 31_000 })), process).start?.attempts).toBe(9);
  });
});

describe('an answer', () => {
  const answer = (attempt: number, code: number, changes: Partial<Extract<BackendEvent, { type: 'answered' }>> = {}): BackendEvent => ({
    type: 'answered',
    pid: 41,
    attempt,
    code,
    atMs: 900,
    ...changes,
  });

  it('that is ready ends the start, within the fifteen attempts and later', () => {
    for (const value of ['probing', 'slow'] as const)
      expect(after(of('starting', probed(value)), answer(1, 404), seen('sawLiving', 'Healthy'))).toMatchObject({
        state: 'running',
        probes: 'ready',
        start: { answered: 1, code: 404 },
      });
  });

  it('that is not ready is kept, and after the fifteenth the probes are slow', () => {
    const at = (attempts: number, value: 'probing' | 'slow' = 'probing') =>
      after(of('starting', probed(value, { attempts })), answer(attempts, 500), seen('sawLiving', 'SlowStart'));
    expect(at(14)).toMatchObject({ state: 'starting', probes: 'probing', start: { answered: 14, code: 500 } });
    expect(at(15)).toMatchObject({ state: 'starting', probes: 'slow', start: { answered: 15, code: 500 } });
    expect(at(16, 'slow')).toMatchObject({ state: 'starting', probes: 'slow', start: { answered: 16, code: 500 } });
  });

  it('to the fifteenth that is lost keeps nobody waiting', () => {
    const lost = (attempts: number) => after(of('starting', probed('probing', { attempts, nextAtMs: 0 })), tick);
    expect(lost(14)).toMatchObject({ probes: 'probing', effects: ['probe 15'], start: { nextAtMs: 6_000 } });
    expect(lost(15)).toMatchObject({ probes: 'slow', effects: ['probe 16'], start: { nextAtMs: 11_000 } });
  });

  it.for([
    ['of another process', { pid: 42 }],
    ['older than the start', { atMs: 499 }],
    ['that was taken in already', { attempt: 3 }],
    ['to a probe that was not sent', { attempt: 6 }],
  ] as const)('%s says nothing', ([, changes]) => {
    for (const value of ['probing', 'slow'] as const) {
      const before = probed(value, { sinceMs: 500, attempts: 5, answered: 3 });
      expect(after(of('starting', before), answer(5, 200, changes))).toMatchObject({ probes: value, start: before.start?.context });
      expect(after(of('starting', before), answer(5, 500, changes))).toMatchObject({ probes: value, start: before.start?.context });
    }
  });

  it('means nothing to a process that is ready', () => {
    expect(after(of('running', probed('ready', { attempts: 2 })), answer(2, 500))).toMatchObject({
      probes: 'ready',
      start: { code: null },
    });
  });

  it.for([
    [13, 1_000],
    [14, 5_000],
    [15, 10_000],
    [16, 20_000],
    [17, 30_000],
    [40, 30_000],
  ] as const)('after %i probes the next one waits %i ms', ([attempts, waitMs]) => {
    const { start: known } = after(of('starting', probed('slow', { attempts, nextAtMs: 0 })), tick);
    expect(known?.nextAtMs).toBe(1_000 + waitMs);
  });
});
