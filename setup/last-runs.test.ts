import { expect, test } from 'vitest';
import { faultsOf, withRun, type LastRuns, type Run } from './last-runs.ts';

const run = (change: Partial<Run> = {}): Run => ({ at: '2026-01-01T00:00:00Z', seconds: {}, flaky: [], failed: [], ...change });
const after = (...all: readonly Run[]): LastRuns => all.reduce(withRun, { seconds: {}, runs: [] });

test('seconds are those of the last run, the longest first, as they were where they are nearly the same', () => {
  const first = run({ seconds: { 'a.ts': 20.4, 'b.ts': 40, 'gone.ts': 30, 'short.ts': 4 } });
  const second = run({ seconds: { 'a.ts': 24, 'b.ts': 61, 'short.ts': 4 } });
  expect(Object.entries(after(first, second).seconds)).toEqual([
    ['b.ts', 61],
    ['a.ts', 20],
  ]);
});

test('what was flaky stands for ten runs, by file and test', () => {
  const runs = after(run({ flaky: ['a.ts › waits: Error: 7 s', 'a.ts › waits: late'] }), ...Array.from({ length: 9 }, () => run())).runs;
  expect([runs.length, runs[0]?.flaky]).toEqual([10, ['a.ts › waits']]);
  expect(withRun({ seconds: {}, runs }, run()).runs.flatMap(({ flaky }) => flaky)).toEqual([]);
});

test('a test that is flaky for the third time fails the run; a file that takes twice its bound is told, eight times fails', () => {
  const flaky = run({ flaky: ['a.ts › waits: late'] });
  const faults = (...all: readonly Run[]) => faultsOf(after(...all.slice(0, -1)), after(...all), all.at(-1)!);
  const none = { failed: [], slow: [] };
  expect(faults(flaky, run(), flaky)).toEqual(none);
  expect(faults(flaky, flaky, flaky).failed).toEqual(['a.ts › waits: flaky in 3 of the last 3 runs: mend it or remove it']);
  expect(faults(flaky, flaky, flaky, run())).toEqual(none);
  const long = run({ seconds: { 'a.ts': 119, 'b.ts': 121, 'c.ts': 481, 'test/journeys/operator.real.test.ts': 479 } });
  expect(faults(long)).toEqual({ failed: ['c.ts: 481 s, its bound is 60 s'], slow: ['b.ts: 121 s, its bound is 60 s'] });
  expect(faults({ ...long, failed: ['b.ts › waits: late', 'c.ts › waits: late'] })).toEqual(none);
  // All of the machine was four times as slow.
  expect(faults(run({ seconds: { 'a.ts': 30, 'b.ts': 30, 'c.ts': 60 } }), long)).toEqual(none);
});
