import { expect, test } from 'vitest';
import { surplus, type Keep } from './retention.ts';

/** A Thursday, noon. */
const base = Date.UTC(2026, 9, 1, 12);
const hour = 3_600_000;
/** Ages in hours; the first one is the newest. */
const made = (...ages: readonly number[]) => ages.map((age) => ({ age, atMs: base - age * hour }));

test.for<readonly [string, Keep, readonly number[], readonly number[]]>([
  ['no rule keeps all', {}, [0, 1, 900], []],
  ['the newest so many', { last: 2 }, [0, 1, 2, 3], [2, 3]],
  ['the newest of each day', { daily: 2 }, [0, 1, 13, 14, 40], [1, 14, 40]],
  ['a day without one counts for nothing', { daily: 2 }, [0, 100, 200], [200]],
  ['the newest of each week, which begins on Monday', { weekly: 2 }, [0, 24 * 3, 24 * 3 + 13, 24 * 8, 24 * 11], [24 * 3, 24 * 8, 24 * 11]],
  ['the newest of each month', { monthly: 2 }, [0, 13, 14, 24 * 31], [14, 24 * 31]],
  ['what one of several rules keeps', { last: 1, daily: 2 }, [0, 1, 13, 40], [1, 40]],
  ['the newest stays whatever the rules are', { last: 0 }, [0, 1], [1]],
  ['in any order', { last: 1 }, [3, 0, 2], [2, 3]],
])('%s', ([, keep, ages, gone]) => {
  expect(surplus(made(...ages), keep).map(({ age }) => age)).toEqual(gone);
});
