import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGathering, createPace } from './pace.ts';

test('a burst passes, then so many a second', () => {
  const pace = createPace(0);
  const passed = (count: number, nowMs: number): number => Array.from({ length: count }, () => pace.take(nowMs)).filter(Boolean).length;
  expect(passed(5_000, 0)).toBe(1_000);
  expect(passed(5_000, 500)).toBe(200);
  expect(passed(5_000, 3_600_000)).toBe(1_000);
});

test('a page that drags at 240 messages a second is never held up', () => {
  const pace = createPace(0);
  for (let n = 0; n < 24_000; n += 1) expect(pace.take((n * 1_000) / 240)).toBe(true);
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('of a crowd the first and the last count, of each sender', () => {
  const seen: string[] = [];
  const gather = createGathering<string>(100, (item) => seen.push(item));
  const [one, other] = [{}, {}];
  for (let n = 0; n < 1_000; n += 1) gather(one, `one ${n}`);
  gather(other, 'other');
  expect(seen).toEqual(['one 0', 'other']);
  vi.advanceTimersByTime(100);
  expect(seen).toEqual(['one 0', 'other', 'one 999']);
  // The quiet time begins anew.
  gather(one, 'again');
  vi.advanceTimersByTime(99);
  expect(seen).toHaveLength(3);
  vi.advanceTimersByTime(101);
  gather(one, 'alone');
  expect(seen.slice(3)).toEqual(['again', 'alone']);
});
