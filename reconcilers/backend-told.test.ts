/** Results of a decision about an app besides its orders: state, conditions, deadlines and memory. */
import { describe, expect, it } from 'vitest';
import { acts, alive, answering, desired, intent, notas, observed, process, stopped } from './backend-fixtures.ts';
import { decideBackend } from './backend.ts';
import type { BackendDecision, BackendMemory } from './backend-types.ts';

const conditions = (decision: BackendDecision) =>
  decision.conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);

describe('the conditions of an app', () => {
  const reachable = 'Reachable True Reachable: ';
  const contained = 'Contained True Healthy: ';
  const fresh = 'Stale False Installed: ';
  const noProcess = (reason: string) => `Contained Unknown ${reason}: no process to contain`;
  it.for([
    [
      'runs',
      {},
      observed(alive()),
      answering(),
      [
        'Ready True Healthy: answers its health probe with 200',
        'Progressing False Healthy: answers its health probe with 200',
        reachable,
        contained,
        fresh,
      ],
    ],
    [
      'runs other code',
      { installedHash: 'hash-2' },
      observed(alive()),
      answering(),
      [
        'Ready True Healthy: answers its health probe with 200',
        'Progressing False Healthy: answers its health probe with 200',
        reachable,
        contained,
        'Stale True HashChanged: runs other code than what is installed; a start brings the new code',
      ],
    ],
    [
      'starts',
      {},
      observed(alive({ contained: false, containedReason: 'why' })),
      null,
      [
        'Ready False Probing: probe 1/15, no answer yet',
        'Progressing True Probing: probe 1/15, no answer yet',
        reachable,
        'Contained False LingerBroken: why',
        fresh,
      ],
    ],
    [
      'ends',
      {},
      observed(alive({ state: 'stopping', reason: 'Idle', message: 'm', containedReason: 'well' })),
      null,
      ['Ready False Idle: m', 'Progressing True Idle: m', reachable, 'Contained False CeilingIgnored: well', fresh],
    ],
    [
      'waits to be tried again',
      {},
      observed(stopped({ state: 'backoff', reason: 'Crashed', message: 'm' })),
      null,
      ['Ready False Crashed: m', 'Progressing True Crashed: m', reachable, noProcess('Crashed'), fresh],
    ],
    [
      'failed',
      {},
      observed(stopped({ state: 'failed', reason: 'Crashed', message: 'm' })),
      null,
      ['Ready False Crashed: m', 'Progressing False Crashed: m', reachable, noProcess('Crashed'), fresh],
    ],
    [
      'was never heard of',
      {},
      observed(null),
      null,
      [
        'Ready False NeverStarted: was never started',
        'Progressing False NeverStarted: was never started',
        reachable,
        noProcess('NeverStarted'),
        fresh,
      ],
    ],
    [
      'is behind a supervisor that is coming',
      {},
      observed(alive(), { supervisor: 'starting' }),
      null,
      [
        'Ready Unknown SupervisorStarting: the supervisor of ana is not up yet',
        'Progressing Unknown SupervisorStarting: the supervisor of ana is not up yet',
        'Reachable Unknown SupervisorStarting: the server answers, the supervisor does not yet',
        noProcess('SupervisorStarting'),
        'Stale Unknown SupervisorStarting: ',
      ],
    ],
    [
      'is on a server that does not answer',
      {},
      observed(alive(), { host: { status: 'unreachable', message: 'cut' } }),
      null,
      [
        'Ready Unknown ServerUnreachable: the server does not answer: cut',
        'Progressing Unknown ServerUnreachable: the server does not answer: cut',
        'Reachable False ServerUnreachable: cut',
        noProcess('ServerUnreachable'),
        'Stale Unknown ServerUnreachable: ',
      ],
    ],
    [
      'is on a server that was not looked at',
      {},
      observed(alive(), { host: { status: 'unknown', message: 'm' } }),
      null,
      [
        'Ready Unknown NotObservedYet: the server was not looked at yet',
        'Progressing Unknown NotObservedYet: the server was not looked at yet',
        'Reachable Unknown NotObservedYet: ',
        noProcess('NotObservedYet'),
        'Stale Unknown NotObservedYet: ',
      ],
    ],
  ] as const)('that %s', ([, changes, sees, memory, expected]) => {
    expect(conditions(decideBackend(desired(changes), sees, memory, 2_000))).toEqual(expected);
  });

  it.for([
    ['the installed code is not known', { installedHash: null }, alive(), false],
    ['nothing runs', { installedHash: 'hash-2' }, stopped(), false],
    ['the code of the process is not known', {}, alive({ process: { ...process, hash: null } }), false],
    ['it is the same', {}, alive(), false],
    ['it is another one', { installedHash: 'hash-2' }, alive(), true],
  ] as const)('is stale or not: %s', ([, changes, snapshot, stale]) => {
    expect(decideBackend(desired(changes), observed(snapshot), null, 2_000).stale).toBe(stale);
  });
});

describe('an order is shown at once', () => {
  it.for([
    ['a start', { intent: intent('start') }, stopped(), 'starting', 'the start was ordered'],
    ['a start of what lives', { document: 'ligado' }, alive({ wanted: false }), 'starting', 'probe 1/15, no answer yet'],
    ['a stop of what lives', { document: 'desligado' }, alive(), 'stopping', 'the stop was ordered'],
    [
      'a stop of what is tried again',
      { document: 'desligado' },
      stopped({ state: 'backoff', wanted: true }),
      'stopping',
      'the stop was ordered',
    ],
    ['a stop of what is stopped', { intent: intent('stop') }, stopped(), 'stopped', 'was never started'],
    ['a stop of what ended by word', { intent: intent('stop') }, alive({ state: 'stopped' }), 'stopping', 'the stop was ordered'],
  ] as const)('%s', ([, changes, snapshot, state, message]) => {
    const decision = decideBackend(desired(changes), observed(snapshot), null, 2_000);
    expect([decision.state, decision.message]).toEqual([state, message]);
  });

  it('beside what became of the request before', () => {
    const refused = { requestId: 'r1', reason: 'Invalid', message: 'no such app' } as const;
    expect(decideBackend(desired({ intent: intent('start') }), observed(stopped(), { refused }), null, 1_000).message).toBe(
      'was never started; request refused: no such app',
    );
    expect(decideBackend(desired({ intent: intent('start') }), observed(alive({ requestId: 'r1' })), answering(), 2_000).message).toBe(
      'answers its health probe with 200',
    );
  });
});

describe('the next look by itself', () => {
  const sent = { op: 'start', cause: 'intent', requestId: 'r1', atMs: 1_500 } as const;
  const later = (start: BackendMemory['start']) => start && { ...start, context: { ...start.context, nextAtMs: 3_000 } };
  it.for([
    ['is the next probe', {}, observed(alive()), null, 3_000],
    ['is none while a probe is out', {}, observed(alive(), { probing: true }), null, null],
    ['is none for what answers', {}, observed(alive()), { ...answering(), start: later(answering().start) }, null],
    ['is none for an order that is over', {}, observed(alive()), { ...answering(), sent }, null],
    ['is the order given again', { intent: intent('start') }, observed(stopped()), { ...answering(), start: null, sent }, 11_500],
    ['is the attempt of the supervisor', {}, observed(stopped({ state: 'backoff', nextAttemptAtMs: 7_000 })), null, 7_000],
    ['is the end of idleness', {}, observed(alive({ idleDeadlineMs: 8_000 })), answering(), 8_000],
    ['is the end of windows', { windows: { open: 0, zeroSinceMs: 1_000 } }, observed(alive()), { ...answering(), sent }, 121_000],
  ] as const)('%s', ([, changes, sees, memory, nextDeadlineMs]) => {
    expect(decideBackend(desired(changes), sees, memory, 2_000).nextDeadlineMs).toBe(nextDeadlineMs);
  });

  it('is none for a process that nothing can be asked of', () => {
    const setUp = alive({ state: 'starting', step: { name: 'package', detail: '', atMs: 0 } });
    expect(decideBackend(desired(), observed(setUp), null, 2_000)).toMatchObject({ nextDeadlineMs: null, memory: { start: null } });
    const gpu = alive({ state: 'starting', step: { name: 'gpu', detail: '', atMs: 0 } });
    expect(decideBackend(desired(), observed(gpu), null, 2_000)).toMatchObject({ nextDeadlineMs: null, memory: { start: null } });
    const other = alive({ state: 'starting', step: { name: 'socket', detail: '', atMs: 0 } });
    expect(acts(decideBackend(desired(), observed(other), null, 2_000))).toEqual(['probe 1']);
  });
});

describe('while nobody can look', () => {
  const blind = { host: { status: 'unreachable', message: 'cut' } } as const;
  const memory: BackendMemory = {
    ...answering(),
    sent: { op: 'start', cause: 'intent', requestId: 'r0', atMs: 1_000 },
    autostartedFor: 1,
    startedAtMs: 2,
    failedHash: 'h',
  };

  it('what was remembered stays, but for an order that may be lost', () => {
    const lost = decideBackend(desired(), observed(alive(), blind), memory, 2_000);
    expect(lost).toMatchObject({ ready: false, stale: false, finishedIntent: null, outcome: null, nextDeadlineMs: null });
    expect(lost.actions).toEqual([]);
    const { start, context, autostartedFor, startedAtMs, failedHash, sent, state } = lost.memory;
    expect({ autostartedFor, startedAtMs, failedHash, sent, state }).toEqual({
      autostartedFor: 1,
      startedAtMs: 2,
      failedHash: 'h',
      sent: null,
      state: 'unknown',
    });
    expect(start).toBe(memory.start);
    expect(context).toEqual({ reason: 'ServerUnreachable', sinceMs: 2_000, last: memory.context.last, saw: 'sightLost' });
    expect(decideBackend(desired(), observed(alive(), blind), lost.memory, 3_000).memory).toBe(lost.memory);
    const other = decideBackend(desired(), observed(alive(), { host: { status: 'unknown', message: '' } }), lost.memory, 4_000);
    expect(other.memory.context).toEqual({ ...context, reason: 'NotObservedYet' });
  });

  it('a start that waited too long is over by its id', () => {
    const late = decideBackend(desired({ intent: intent('start') }), observed(alive(), blind), memory, 900_000);
    expect([late.finishedIntent, late.outcome, late.actions]).toEqual(['r1', 'expired', []]);
  });
});

describe('what is remembered', () => {
  it('is of the moment at which the state began', () => {
    const first = decideBackend(desired(), observed(stopped({ reason: 'Idle' })), null, 1_000);
    expect(first.memory.context.sinceMs).toBe(1_000);
    const other = decideBackend(desired(), observed(stopped({ reason: 'StoppedByPerson' })), first.memory, 2_000);
    expect(other.memory.context).toMatchObject({ reason: 'StoppedByPerson', sinceMs: 1_000 });
    expect(other.memory.state).toBe('stopped');
    const failed = decideBackend(desired(), observed(stopped({ state: 'failed', reason: 'Crashed' })), other.memory, 3_000);
    expect(failed.memory.context).toMatchObject({ reason: 'Crashed', sinceMs: 3_000, last: { state: 'failed', reason: 'Crashed' } });
    expect(failed.memory.failedHash).toBe('hash-1');
    const back = decideBackend(desired(), observed(stopped({ reason: 'Idle' })), failed.memory, 4_000);
    expect([back.memory.failedHash, back.memory.context.sinceMs]).toEqual([null, 4_000]);
  });

  it('is the code that failed, until another try of it was confirmed', () => {
    const failed = (requestId: string) => observed(stopped({ state: 'failed', reason: 'Crashed', wanted: true, requestId }));
    const other = desired({ installedHash: 'hash-2' });
    const sent = { op: 'start', cause: 'mended', requestId: 'mended-1', atMs: 1 } as const;
    const memory = { ...answering(), failedHash: 'hash-1', sent };
    expect(decideBackend(other, failed('mended-1'), memory, 2_000).memory.failedHash).toBe('hash-2');
    expect(decideBackend(other, failed('r0'), memory, 2_000).memory.failedHash).toBe('hash-1');
    const asked = { ...memory, sent: { ...sent, cause: 'intent' } } as const;
    expect(decideBackend(other, failed('mended-1'), asked, 2_000).memory.failedHash).toBe('hash-1');
  });

  const manifest = { ...notas, kind: 'service' } as const;
  it.for([
    ['once it is wanted', { manifest }, alive(), 500],
    ['once its start was carried out', { manifest }, stopped({ requestId: 'sessao-500' }), 500],
    ['not before', { manifest }, stopped(), 400],
    ['not by a start for another session', { manifest }, stopped({ requestId: 'sessao-400' }), 400],
    ['not by what was never heard of', { manifest }, null, 400],
    ['not of an app', {}, alive(), 400],
    ['not of an app that is not installed', { manifest: null }, alive(), 400],
    ['not without a session', { manifest, session: false }, alive(), 400],
    ['not when nobody knows since when', { manifest, sessionSinceMs: null }, alive(), 400],
  ] as const)('is the session in which a service was started: %s', ([, changes, snapshot, autostartedFor]) => {
    const memory = { ...answering(), autostartedFor: 400 };
    expect(decideBackend(desired(changes), observed(snapshot), memory, 2_000).memory.autostartedFor).toBe(autostartedFor);
  });
});

describe('what changed is decided although nothing is wished', () => {
  const memory = answering();
  it.for([
    ['another process', alive({ process: { ...process, pid: 42 } }), 'Probing', ['probe 1']],
    ['another process of the same number', alive({ process: { ...process, startTicks: 8 } }), 'Probing', ['probe 1']],
    ['no process', stopped({ reason: 'Idle' }), 'Idle', []],
    ['one that ends', alive({ state: 'stopping', reason: 'Idle' }), 'Idle', []],
    ['one that hangs', alive({ reason: 'NotAnswering' }), 'NotAnswering', []],
    ['the same', alive(), 'Healthy', []],
  ] as const)('%s', ([, snapshot, reason, actions]) => {
    const decision = decideBackend(desired(), observed(snapshot), memory, 5_000);
    expect([decision.reason, acts(decision)]).toEqual([reason, actions]);
    expect(decision.memory.start === null).toBe(snapshot.process === null || snapshot.state === 'stopping');
  });

  it('an app whose launch was under way is probed', () => {
    const coming = decideBackend(desired(), observed(stopped({ wanted: true })), null, 1_000);
    expect(acts(decideBackend(desired(), observed(alive()), coming.memory, 2_000))).toEqual(['probe 1']);
  });

  it('an app that hangs and answers, which changes nothing but its state', () => {
    const hangs = observed(alive({ reason: 'NotAnswering' }));
    const first = decideBackend(desired(), hangs, null, 1_000);
    const probe = { pid: process.pid, attempt: 1, code: 200, byGate: false, atMs: 1_010 };
    const second = decideBackend(desired(), { ...hangs, probe }, first.memory, 1_020);
    expect([first.state, second.state, second.memory.context.last?.state]).toEqual(['starting', 'running', 'running']);
  });

  it('an order that is seen to be carried out', () => {
    const want = desired({ intent: intent('start') });
    const ordered = decideBackend(want, observed(stopped()), null, 1_000);
    const coming = decideBackend(want, observed(stopped({ wanted: true, requestId: 'r1' })), ordered.memory, 1_100);
    expect([ordered.memory.context.saw, coming.memory.context.saw, coming.state]).toEqual([null, 'sawComing', 'starting']);
  });

  it('the end of a supervisor that was only out of sight', () => {
    const away = desired({ session: false, sessionSinceMs: null });
    const lost = decideBackend(away, observed(stopped({ reason: 'Idle' }), { supervisor: 'starting' }), null, 1_000);
    const ended = decideBackend(away, observed(stopped({ reason: 'Idle' }), { supervisor: 'down' }), lost.memory, 2_000);
    expect([lost.state, ended.state, ended.memory.state]).toEqual(['unknown', 'stopped', 'stopped']);
    expect(conditions(ended)[4]).toBe('Stale False Installed: ');
  });

  it('each probe that is sent', () => {
    let next: BackendMemory | null = null;
    const sent: (readonly string[])[] = [];
    for (let nowMs = 1_000; nowMs <= 4_000; nowMs += 1_000) {
      const decision = decideBackend(desired(), observed(alive()), next, nowMs);
      sent.push(acts(decision));
      next = decision.memory;
    }
    expect(sent.flat()).toEqual(['probe 1', 'probe 2', 'probe 3', 'probe 4']);
  });

  it('a socket that appears pulls the next probe forward', () => {
    const deaf = decideBackend(desired(), observed(alive({ socket: 'absent' })), null, 1_000);
    expect(acts(decideBackend(desired(), observed(alive({ socket: 'absent' })), deaf.memory, 1_200))).toEqual([]);
    expect(acts(decideBackend(desired(), observed(alive()), deaf.memory, 1_200))).toEqual(['probe 2']);
    const heard = decideBackend(desired(), observed(alive()), null, 1_000);
    expect(acts(decideBackend(desired(), observed(alive()), heard.memory, 1_200))).toEqual([]);
  });

  it('a process that came up of a file written anew ends that trouble', () => {
    const sent = { op: 'start', cause: 'rewritten', requestId: 'rewritten-1', atMs: 1 } as const;
    expect(decideBackend(desired(), observed(alive()), { ...memory, sent }, 5_000).memory.sent).toBeNull();
    expect(decideBackend(desired(), observed(stopped()), { ...memory, sent }, 5_000).memory.sent).toEqual(sent);
  });
});
