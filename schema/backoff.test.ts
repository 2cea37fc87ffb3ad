import { expect, test } from 'vitest';
import { doubledMs, halfByChanceMs } from './backoff.ts';

test('it doubles from the first wait to the longest, however many failures there were', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 2_000].map((failures) => doubledMs(1_000, failures, 30_000))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test('half of a wait is chance', () => {
  expect([0, 0.5, 1].map((random) => halfByChanceMs(1_000, random))).toEqual([500, 750, 1_000]);
});
