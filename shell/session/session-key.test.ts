import { expect, test } from 'vitest';
import { nextComeback } from './session-key.ts';

test('three times within a minute a session comes back without a question; a comeback whose answer is lost does not count', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  };
  const may = (nowMs: number): boolean => nextComeback(storage, nowMs) !== null;
  const comesBack = (nowMs: number): boolean => {
    const count = nextComeback(storage, nowMs);
    count?.();
    return count !== null;
  };
  expect([500, 600, 700, 800].map(may)).toEqual([true, true, true, true]);
  expect([1_000, 2_000, 3_000, 4_000, 60_999, 61_000, 61_500].map(comesBack)).toEqual([true, true, true, false, false, true, false]);
});
