import { expect, test } from 'vitest';
import { mayComeBack } from './session-key.ts';

test('three times within a minute a session comes back without a question', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  };
  const at = [1_000, 2_000, 3_000, 4_000, 60_999, 61_000, 61_500];
  expect(at.map((nowMs) => mayComeBack(storage, nowMs))).toEqual([true, true, true, false, false, true, false]);
});
