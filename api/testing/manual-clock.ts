/**
 * A clock that tests move by hand, and a little with each reading (schema/testing/moving.ts): wall and monotonic time go together; what falls
 * due on the way is called in order.
 */
import type { Clock } from '../../schema/clock.ts';
import { readingMs } from '../../schema/testing/moving.ts';

export interface ManualClock extends Clock {
  /** Back, too, as a wall clock that is set. */
  advance(ms: number): void;
}

export function createManualClock(startMs = 1_800_000_000_000): ManualClock {
  let elapsedMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly fn: () => void }>();
  const read = (): number => {
    elapsedMs += readingMs;
    return elapsedMs;
  };
  return {
    nowMs: () => Math.floor(startMs + read()),
    monotonicMs: read,
    at: (atMs, fn) => {
      const timer = { atMs, fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const endMs = elapsedMs + ms;
      for (;;) {
        const due = [...timers].filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!due) break;
        timers.delete(due);
        elapsedMs = Math.max(elapsedMs, due.atMs);
        due.fn();
      }
      // Callbacks on the way have read the clock, which moved it.
      elapsedMs = ms < 0 ? endMs : Math.max(elapsedMs, endMs);
    },
  };
}
