/** `maximo` of a Package document. Decision: docs/decisions/0433-the-end-of-a-run-is-told.md */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alive, answering, desired, observed, process, stopped } from './backend-fixtures.ts';
import { readMemory } from './memory.ts';
import { backendMemory } from './backend-memory.ts';
import { endToldMs, wishOf } from './backend-orders.ts';
import { decideBackend } from './backend.ts';
import type { BackendDecision, BackendDesired, BackendMemory } from './backend-types.ts';

const hourMs = 3_600_000;
/** Started at 900. */
const runs = observed(alive({ requestId: 'r1' }));
const decide = (changes: Partial<BackendDesired>, memory: BackendMemory | null, nowMs: number, sees = runs): BackendDecision =>
  decideBackend(desired(changes), sees, memory, nowMs);
const stops = ({ actions }: BackendDecision) => actions.filter(({ kind }) => kind === 'backend/stop');

it.for([
  [60_000, 10_000],
  [600_000, 100_000],
  [hourMs, 600_000],
  [365 * 24 * hourMs, 600_000],
] as const)('of %i ms the person is told %i ms before the end', ([msMax, ms]) => {
  expect(endToldMs(msMax)).toBe(ms);
});

describe('the end', () => {
  const bound = { pid: process.pid, startTicks: process.startTicks, msMax: hourMs, endAtMs: 5_000_000 };
  const other = { ...process, pid: 42 };
  it.for([
    ['counts from the start of the process', {}, alive(), null, 2_000, 900 + hourMs],
    ['leaves time to tell where the document comes late', {}, alive(), null, 900 + hourMs, 900 + hourMs + 600_000],
    ['is kept', {}, alive(), bound, 4_900_000, 5_000_000],
    ['is of one process', {}, alive({ process: other }), bound, 2_000, 900 + hourMs],
    ['is of one process of a number', {}, alive({ process: { ...process, startTicks: 8 } }), bound, 2_000, 900 + hourMs],
    ['follows the document', { maximoMs: 2 * hourMs }, alive(), bound, 2_000, 900 + 2 * hourMs],
    [
      'is no later by a clock of the server that is ahead',
      {},
      alive({ process: { ...process, startedAtMs: 9e12 } }),
      null,
      2_000,
      2_000 + hourMs,
    ],
    ['is no later by a clock that was set back', {}, alive(), { ...bound, endAtMs: 2_001 + hourMs }, 2_000, 900 + hourMs],
    ['is none without a document', { maximoMs: null }, alive(), bound, 2_000, undefined],
    ['is none for what is pinned on', { document: 'ligado' }, alive(), bound, 2_000, undefined],
    ['is none for what ends', {}, alive({ state: 'stopping', wanted: false }), bound, 2_000, undefined],
    ['is none for what does not live', {}, stopped({ state: 'backoff', wanted: true }), bound, 2_000, undefined],
  ] as const)('%s', ([, changes, snapshot, before, nowMs, endAtMs]) => {
    const memory = { ...answering(), bound: before };
    const given = {
      desired: desired({ maximoMs: hourMs, ...changes }),
      observed: observed(snapshot),
      memory,
      stale: false,
      failedHash: null,
    };
    expect(wishOf({ ...given, nowMs }).bound?.endAtMs).toBe(endAtMs);
  });
});

it('is told, ends what is in use at its time, and says why until the next start, with no other time for another portal', () => {
  const endAtMs = 900 + hourMs;
  const sees = observed(alive({ requestId: 'r1', connections: 3, busy: 'trains' }));
  const first = decide({ maximoMs: hourMs }, answering(), 2_000, sees);
  expect([first.endsAtMs, first.nextDeadlineMs]).toEqual([null, endAtMs - 600_000]);
  const kept = readMemory(backendMemory, { version: 2, value: JSON.parse(JSON.stringify(first.memory)) });
  const told = decide({ maximoMs: hourMs }, kept, endAtMs - 600_000, sees);
  expect([told.endsAtMs, told.nextDeadlineMs, stops(told)]).toEqual([endAtMs, endAtMs, []]);
  const end = decide({ maximoMs: hourMs }, told.memory, endAtMs, sees);
  const requestId = `maximo-${endAtMs}`;
  // The word of an older kit.
  expect(stops(end)).toEqual([{ kind: 'backend/stop', person: 'ana', app: 'notas', requestId, reason: 'StoppedByAdmin' }]);
  expect([end.state, end.reason]).toEqual(['stopping', 'TimeLimit']);
  const ending = alive({ state: 'stopping', reason: 'StoppedByAdmin', requestId, wanted: false });
  expect(decide({ maximoMs: hourMs }, end.memory, endAtMs + 1, observed(ending))).toMatchObject({ reason: 'TimeLimit', endsAtMs: null });
  const gone = observed(stopped({ reason: 'StoppedByAdmin', requestId }));
  const over = decide({ maximoMs: hourMs }, end.memory, endAtMs + 2, gone);
  expect([over.state, over.reason, over.message]).toEqual([
    'stopped',
    'TimeLimit',
    'it ran for the longest time that its Package document allows (maximo)',
  ]);
  const again = observed(alive({ requestId: 'r2', process: { ...process, pid: 50, startedAtMs: endAtMs + 5_000 } }));
  const anew = decide({ maximoMs: hourMs }, over.memory, endAtMs + 6_000, again);
  expect(anew.memory.bound?.endAtMs).toBe(endAtMs + 5_000 + hourMs);
});

it('an administrator who stops it is not taken for its time', () => {
  const gone = observed(stopped({ reason: 'StoppedByAdmin', requestId: 'cli-1' }));
  expect(decide({ maximoMs: hourMs }, null, 2_000, gone).reason).toBe('StoppedByAdmin');
});

it('a memory of before has no end', () => {
  const { bound: _, ...before } = answering();
  expect(readMemory(backendMemory, { version: 1, value: before })).toEqual({ ...before, bound: null });
});

it('at any looks and changes of the document it is stopped at its time, or once its person could be told, and never before', () => {
  const step = fc.record({ afterMs: fc.integer({ min: 1, max: hourMs }), maximoMs: fc.constantFrom(60_000, 600_000, hourMs, 12 * hourMs) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      let memory: BackendMemory = answering();
      let nowMs = 2_000;
      let seen = { maximoMs: 0, sinceMs: 0 };
      for (const { afterMs, maximoMs } of steps) {
        if (seen.maximoMs !== maximoMs) seen = { maximoMs, sinceMs: nowMs };
        const endAtMs = Math.max(process.startedAtMs + maximoMs, seen.sinceMs + endToldMs(maximoMs));
        const decision = decide({ maximoMs }, memory, nowMs);
        expect(stops(decision).length).toBe(nowMs >= endAtMs ? 1 : 0);
        if (nowMs >= endAtMs) return;
        expect(decision.endsAtMs).toBe(nowMs >= endAtMs - endToldMs(maximoMs) ? endAtMs : null);
        expect(decision.nextDeadlineMs).toBe(decision.endsAtMs ?? endAtMs - endToldMs(maximoMs));
        memory = decision.memory;
        expect(decide({ maximoMs }, memory, nowMs).memory).toBe(memory);
        nowMs += afterMs;
      }
    }),
  );
});
