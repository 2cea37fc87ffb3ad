import { expect, it } from 'vitest';
import { earliest, stampConditions } from './conditions.ts';

it.for([
  ['the next of several', 10, [30, 20, 25], 20],
  ['the first named', 10, [20, 30], 20],
  ['none that is now', 10, [10, null, undefined], null],
  ['none that is over', 10, [9, 11], 11],
  ['none before time began', -10, [null, undefined, 5], 5],
] as const)('the earliest time ahead: %s', ([, nowMs, times, expected]) => {
  expect(earliest(nowMs, times)).toBe(expected);
});

const draft = (type: 'Ready' | 'Drift', status: 'True' | 'False') => ({ type, status, reason: 'Healthy', message: 'm' }) as const;

it('a condition keeps its time as long as its status, and the memory is the very same while none changes', () => {
  const first = stampConditions([draft('Ready', 'True')], undefined, 3, 100);
  expect(first.conditions).toEqual([{ ...draft('Ready', 'True'), observedGeneration: 3, sinceMs: 100 }]);
  const same = stampConditions([draft('Ready', 'True')], first.memory, 3, 200);
  expect([same.conditions[0]?.sinceMs, same.memory === first.memory]).toEqual([100, true]);
  const other = stampConditions([draft('Ready', 'False'), draft('Drift', 'True')], same.memory, 3, 300);
  expect(other.memory).toEqual({ Ready: ['False', 300], Drift: ['True', 300] });
  const one = stampConditions([draft('Ready', 'False'), draft('Drift', 'False')], other.memory, 3, 400);
  expect(one.memory).toEqual({ Ready: ['False', 300], Drift: ['False', 400] });
});

it('a memory of no conditions is one, too', () => {
  expect(stampConditions([], undefined, 0, 1).memory).toEqual({});
  const empty = {};
  expect(stampConditions([], empty, 0, 1).memory).toBe(empty);
});
