import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import type { BackendEntry } from '../entries.ts';
import { reportUse } from './use.ts';

test('a thousand requests are a few words to the supervisor, and the last of them is among what it heard', () => {
  const clock = createSimulatedClock(0);
  const heard: number[] = [];
  const ask = async (): Promise<never> => {
    heard.push(Math.floor(clock.monotonicMs()));
    return Promise.reject(new Error('away'));
  };
  const entry = { app: 'notas', person: { link: { ask } } } as unknown as BackendEntry;
  for (let at = 0; at < 1_000; at += 1) {
    reportUse(entry, clock);
    clock.advance(10);
  }
  const lastUseMs = 9_990;
  clock.advance(60_000);
  expect(heard.length).toBeLessThanOrEqual(4);
  expect(heard[0]).toBe(0);
  expect(heard.at(-1)).toBeGreaterThanOrEqual(lastUseMs);
  expect(heard.at(-1)).toBeLessThanOrEqual(lastUseMs + limits.useReportMs);
  // No request, no report.
  const count = heard.length;
  clock.advance(600_000);
  expect(heard.length).toBe(count);
});
