import { describe, expect, it } from 'vitest';
import { alive, answering, stopped } from './backend-fixtures.ts';
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

  it('keeps the very same memory while nothing changes', () => {
    const up = decideSupervisor(wanted, seen('up'), null, 0);
    const stable = decideSupervisor(wanted, seen('up'), up.memory, 60_000);
    expect(decideSupervisor(wanted, seen('up'), stable.memory, 70_000).memory).toBe(stable.memory);
  });
});

describe('a backend needs its supervisor', () => {
  it.for([
    ['when it is wanted', stopped({ wanted: true }), null, true],
    ['while a process lives', alive({ wanted: false }), null, true],
    ['not when it is stopped', stopped(), answering(), false],
    ['when it was last known alive and nobody was heard yet', null, answering(), true],
    ['not when nothing was ever known', null, null, false],
  ] as const)('%s', ([, snapshot, memory, expected]) => {
    expect(keepsSupervisor(snapshot, memory)).toBe(expected);
  });
});
