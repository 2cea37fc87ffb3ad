import { expect, test } from 'vitest';
import { ageMs } from './age.ts';

test.for([
  [10_000, 4_000, 6_000],
  [10_000, 0, 10_000],
  [10_000, 10_000, 0],
  [10_000, 10_001, Number.POSITIVE_INFINITY],
] as const)('at %i what was at %i is %i ms old', ([nowMs, atMs, age]) => expect(ageMs(nowMs, atMs)).toBe(age));
