import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { limits } from '../limits.ts';
import { createLivingLines } from './living-lines.ts';

test('lines to a portal that lives no more end; what the database does not say ends nothing', async () => {
  const clock = createManualClock();
  let [asked, alive]: [number, ReadonlySet<string> | null] = [0, null];
  const lines = createLivingLines(clock, async () => {
    asked += 1;
    if (alive === null) throw new Error('away');
    return alive;
  });
  const round = async (): Promise<void> => {
    clock.advance(limits.peerLooksMs);
    for (let n = 0; n < 5; n += 1) await Promise.resolve();
  };
  await round();
  expect(asked).toBe(0);
  const ended: string[] = [];
  const off = new Map(['a:1', 'a:1', 'b:1'].map((address, n) => [n, lines.watch(address, () => void ended.push(`${n} of ${address}`))]));
  await round();
  expect([asked, ended]).toEqual([1, []]);
  alive = new Set(['a:1', 'b:1']);
  await round();
  expect([asked, ended]).toEqual([2, []]);
  off.get(1)?.();
  alive = new Set(['b:1']);
  await round();
  expect([asked, ended]).toEqual([3, ['0 of a:1']]);
  off.get(0)?.();
  off.get(2)?.();
  await round();
  const before = asked;
  await round();
  expect(asked).toBe(before);
});
