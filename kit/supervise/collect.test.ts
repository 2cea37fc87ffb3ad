import { expect, test } from 'vitest';
import { limits } from './limits.ts';
import { quietCollector } from './collect.ts';

test('what a burst left is collected once, in the first quiet round', () => {
  let usedBytes = 10 * limits.heapGrowthBytes;
  let collections = 0;
  const collect = (): void => {
    usedBytes = 3 * limits.heapGrowthBytes;
    collections += 1;
  };
  const { round, stir } = quietCollector({ usedBytes: () => usedBytes, collect });
  const after = (): number => {
    round();
    return collections;
  };
  stir();
  expect(after()).toBe(0);
  expect(after()).toBe(1);
  usedBytes += limits.heapGrowthBytes - 1;
  expect(after()).toBe(1);
  usedBytes += 1;
  stir();
  expect(after()).toBe(1);
  expect(after()).toBe(2);
  expect(after()).toBe(2);
});
