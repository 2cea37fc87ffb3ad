import { describe, expect, it } from 'vitest';
import { decideBackend } from './backend.ts';
import { alive, answering, desired, observed, stopped } from './backend-fixtures.ts';
import { decideSupervisor, keepsSupervisor, type SupervisorMemory, type SupervisorObserved } from './supervisor-process.ts';

const wanted = { person: 'ana', leaving: false, session: true, everSignedIn: true, wished: false, wanted: false } as const;
const unwanted = { ...wanted, session: false };
const seen = (status: SupervisorObserved['status'], host: 'reachable' | 'unreachable' | 'unknown' = 'reachable'): SupervisorObserved => ({
  host: { status: host, message: '' },
  status,
  message: '',
});

describe('the supervisor of a person', () => {
  it.for([
    ['with a session', { session: true }, 1],
    ['for a click or a pinned app', { wished: true }, 1],
    ['for an app that is to be kept alive', { wanted: true }, 1],
    ['for nobody', {}, 0],
  ] as const)('is started %s', ([, changes, starts]) => {
    expect(decideSupervisor({ ...unwanted, ...changes }, seen('down'), null, 1_000).actions).toHaveLength(starts);
  });

  it.for(['up', 'down', 'starting'] as const)(
    'of who leaves is neither started nor ended here, though it was %s and apps were wanted',
    (status) => {
      const memory = decideSupervisor(wanted, seen('up'), null, 1_000).memory;
      const leaving = { ...wanted, leaving: true, wished: true, wanted: true };
      expect(decideSupervisor(leaving, seen(status), memory, 500_000).actions).toEqual([]);
    },
  );

  it("that can't write to its home is up, and says so", () => {
    const full = decideSupervisor(wanted, { ...seen('up'), message: "the home can't be written: ENOSPC" }, null, 1_000);
    expect(full).toMatchObject({ state: 'up', reason: 'DiskFull', message: "the home can't be written: ENOSPC", actions: [] });
    expect(decideSupervisor(wanted, seen('up'), full.memory, 2_000)).toMatchObject({ state: 'up', reason: 'Provisioned', message: '' });
  });

  it('is started again after 1, 2, 4, 8, 10, 10 s, without an end', () => {
    let memory: SupervisorMemory | null = null;
    const attempts: number[] = [];
    for (let nowMs = 0; nowMs <= 46_000; nowMs += 500) {
      const decision = decideSupervisor(wanted, seen('down'), memory, nowMs);
      if (decision.actions.length > 0) attempts.push(nowMs);
      expect(decision.nextDeadlineMs).toBeGreaterThan(nowMs);
      memory = decision.memory;
    }
    expect(attempts).toEqual([0, 1_000, 3_000, 7_000, 15_000, 25_000, 35_000, 45_000]);
  });

  it('is started although the clock was set back by a year', () => {
    const before = decideSupervisor(wanted, seen('down'), null, 365 * 86_400_000).memory;
    expect(decideSupervisor(wanted, seen('down'), before, 1_000).actions).toHaveLength(1);
  });

  it('starts counting anew after a stable minute', () => {
    const down = decideSupervisor(wanted, seen('down'), null, 0);
    const up = decideSupervisor(wanted, seen('up'), down.memory, 100);
    expect([up.state, up.nextDeadlineMs, up.memory.attempts]).toEqual(['up', 60_100, 1]);
    const stable = decideSupervisor(wanted, seen('up'), up.memory, 60_100);
    expect([stable.memory.attempts, stable.nextDeadlineMs]).toEqual([0, null]);
    const lost = decideSupervisor(wanted, seen('down'), stable.memory, 70_000);
    expect([lost.reason, lost.actions.length]).toEqual(['SupervisorLost', 1]);
  });

  it('ends a minute after it is needed no more, and not if it is needed again meanwhile', () => {
    const up = decideSupervisor(wanted, seen('up'), null, 0);
    const idle = decideSupervisor(unwanted, seen('up'), up.memory, 1_000);
    expect([idle.actions, idle.nextDeadlineMs]).toEqual([[], 61_000]);
    const again = decideSupervisor(wanted, seen('up'), idle.memory, 30_000);
    expect(again.memory.unwantedSinceMs).toBeNull();
    const end = decideSupervisor(unwanted, seen('up'), idle.memory, 61_000);
    expect(end.actions).toEqual([{ kind: 'supervisor/end', person: 'ana' }]);
    const ended = decideSupervisor(unwanted, seen('down'), end.memory, 61_100);
    expect([ended.state, ended.reason, ended.actions]).toEqual(['ended', 'SessionEnded', []]);
    const never = decideSupervisor({ ...unwanted, everSignedIn: false }, seen('down'), null, 1_000);
    expect([never.state, never.reason, never.actions]).toEqual(['ended', 'NeverSignedIn', []]);
  });

  it.for([['unreachable'], ['unknown']] as const)('is left alone while its server is %s', ([host]) => {
    const before = decideSupervisor(wanted, seen('down'), null, 0).memory;
    const decision = decideSupervisor(wanted, seen('down', host), before, 5_000);
    expect([decision.state, decision.actions, decision.memory.attempts]).toEqual(['unknown', [], before.attempts]);
  });

  it.for([
    ['is there', wanted, seen('up'), 'True', 'up', 'Provisioned', ''],
    ['comes', wanted, seen('starting'), 'False', 'starting', 'SupervisorStarting', ''],
    ['is started', wanted, { ...seen('down'), message: 'm' }, 'False', 'starting', 'SupervisorStarting', 'm'],
    [
      'comes, and did not before',
      wanted,
      { ...seen('starting'), message: 'm', reason: 'HomeMissing' },
      'False',
      'starting',
      'HomeMissing',
      'm',
    ],
    ['is started again', wanted, { ...seen('down'), message: 'm', reason: 'HomeMissing' }, 'False', 'starting', 'HomeMissing', 'm'],
    ['is needed by nobody', unwanted, seen('down'), 'False', 'ended', 'SessionEnded', 'nothing of this person has to be kept alive'],
    [
      'was never needed',
      { ...unwanted, everSignedIn: false },
      seen('down'),
      'False',
      'ended',
      'NeverSignedIn',
      'ana has not signed in yet: none was needed',
    ],
    ['can not be seen', wanted, seen('up', 'unreachable'), 'Unknown', 'unknown', 'ServerUnreachable', ''],
    ['was not looked at', wanted, seen('up', 'unknown'), 'Unknown', 'unknown', 'NotObservedYet', ''],
    ['is of who leaves', { ...wanted, leaving: true }, seen('up'), 'True', 'up', 'PersonRemoved', 'the person is leaving'],
    ['was of who leaves', { ...wanted, leaving: true }, seen('down'), 'False', 'ended', 'PersonRemoved', 'the person is leaving'],
    ['was of who moved', { ...wanted, moves: true }, seen('down'), 'False', 'ended', 'PersonMoves', 'their apps go to another server'],
    ['comes up while its person leaves', { ...wanted, leaving: true }, seen('starting'), 'False', 'starting', 'SupervisorStarting', ''],
  ] as const)('that %s says so', ([, desired, observed, status, state, reason, message]) => {
    const decision = decideSupervisor(desired, observed, null, 1_000);
    expect(decision).toMatchObject({ state, reason, message });
    expect(decision.conditions).toEqual([{ type: 'Ready', status, reason, message, observedGeneration: 0, sinceMs: 1_000 }]);
  });

  it('that was lost says so until it is needed no more', () => {
    const up = decideSupervisor(wanted, seen('up'), null, 0).memory;
    const lost = decideSupervisor(wanted, seen('down'), up, 1_000);
    expect([lost.reason, lost.memory]).toEqual([
      'SupervisorLost',
      { attempts: 1, nextAttemptAtMs: 2_000, upSinceMs: null, unwantedSinceMs: null, wasUp: true, since: lost.memory.since },
    ]);
    const waits = decideSupervisor(wanted, { ...seen('down'), message: 'm' }, lost.memory, 1_500);
    expect(waits).toMatchObject({ state: 'backoff', reason: 'SupervisorLost', message: 'm', nextDeadlineMs: 2_000 });
    const over = decideSupervisor(unwanted, seen('down'), lost.memory, 1_500).memory;
    expect(over).toMatchObject({ attempts: 0, nextAttemptAtMs: 0, wasUp: false });
    expect(decideSupervisor(wanted, seen('down'), over, 1_600).reason).toBe('SupervisorStarting');
  });

  it('that comes was up since never', () => {
    const up = decideSupervisor(unwanted, seen('up'), null, 5).memory;
    expect(up).toMatchObject({ upSinceMs: 5, unwantedSinceMs: 5 });
    expect(decideSupervisor(wanted, seen('starting'), up, 10).memory).toMatchObject({
      upSinceMs: null,
      unwantedSinceMs: null,
      wasUp: true,
    });
  });

  it('is started at the end of the longest wait, and before it only when the clock was set back', () => {
    const memory = { ...decideSupervisor(wanted, seen('down'), null, 0).memory, nextAttemptAtMs: 20_000 };
    const starts = (nowMs: number) => decideSupervisor(wanted, seen('down'), memory, nowMs).actions.length;
    expect([starts(9_999), starts(10_000), starts(19_999), starts(20_000)]).toEqual([1, 0, 0, 1]);
  });

  it('is asked to end again after another minute', () => {
    const idle = decideSupervisor(unwanted, seen('up'), null, 0).memory;
    const end = decideSupervisor(unwanted, seen('up'), idle, 60_000);
    expect([end.actions.length, end.nextDeadlineMs, end.memory.unwantedSinceMs]).toEqual([1, null, 60_000]);
    const waits = decideSupervisor(unwanted, seen('up'), end.memory, 119_999);
    expect([waits.actions, waits.nextDeadlineMs]).toEqual([[], 120_000]);
    expect(decideSupervisor(wanted, seen('down'), null, 0).actions).toEqual([{ kind: 'supervisor/ensure', person: 'ana' }]);
    expect(decideSupervisor(unwanted, seen('up'), end.memory, 120_000).actions).toHaveLength(1);
  });

  it('keeps the very same memory while nothing changes', () => {
    const up = decideSupervisor(wanted, seen('up'), null, 0);
    const stable = decideSupervisor(wanted, seen('up'), up.memory, 60_000);
    expect(decideSupervisor(wanted, seen('up'), stable.memory, 70_000).memory).toBe(stable.memory);
  });
});

describe('a backend needs its supervisor', () => {
  const blind = observed(null, { host: { status: 'unreachable', message: '' } });
  it.for([
    ['when it is wanted', stopped({ wanted: true }), null, true],
    ['while a process lives', alive({ wanted: false }), null, true],
    ['not when it is stopped', stopped(), answering(), false],
    ['when it was last known alive and nobody was heard yet', null, answering(), true],
    ['not when nothing was ever known', null, null, false],
    ['not when it was last known stopped', null, decideBackend(desired(), observed(stopped()), null, 1).memory, false],
    ['not when nothing was ever seen of it', null, decideBackend(desired(), blind, null, 1).memory, false],
  ] as const)('%s', ([, snapshot, memory, expected]) => {
    expect(keepsSupervisor(snapshot, memory)).toBe(expected);
  });
});
