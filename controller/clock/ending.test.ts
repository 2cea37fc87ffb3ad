import { expect, test } from 'vitest';
import { endingClock } from './ending.ts';
import { createSimulatedClock } from './simulated.ts';

test('waits are met or cancelled as before; those under way at the end, and later ones, are not met', () => {
  const simulated = createSimulatedClock(1_000);
  const clock = endingClock(simulated);
  const met: string[] = [];
  clock.at(100, () => met.push('early'));
  clock.at(100, () => met.push('cancelled'))();
  clock.at(300, () => met.push('under way'));
  simulated.advance(200);
  expect([met, clock.nowMs(), Math.floor(clock.monotonicMs())]).toEqual([['early'], 1_200, 200]);
  clock.end();
  clock.at(300, () => met.push('later'));
  simulated.advance(200);
  expect(met).toEqual(['early']);
});
