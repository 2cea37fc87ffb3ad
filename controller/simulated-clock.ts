/**
 * The same clock in simulated time: `advance` steps to each deadline in turn, so that what one deadline sets is itself met on the
 * way and nothing is ever jumped past (anchors D: the trap of XState's own SimulatedClock).
 */
import type { Clock } from '../schema/clock.ts';

export interface SimulatedClock extends Clock {
  /** Lets `ms` pass. Deadlines at the same time fire in the order they were set. */
  advance(ms: number): void;
  /** Moves the wall time only, as an administrator or NTP does. */
  shiftWall(ms: number): void;
  /** Monotonic time of the next deadline, null when none is set. */
  nextAtMs(): number | null;
}

export function createSimulatedClock(startWallMs: number): SimulatedClock {
  let monotonicMs = 0;
  let wallOffsetMs = startWallMs;
  let order = 0;
  const deadlines = new Map<number, { readonly atMs: number; readonly fn: () => void }>();

  const earliest = (): number | null => {
    let found: number | null = null;
    for (const [id, deadline] of deadlines) {
      if (found === null || deadline.atMs < (deadlines.get(found)?.atMs ?? 0)) found = id;
    }
    return found;
  };
  return {
    nowMs: () => wallOffsetMs + monotonicMs,
    monotonicMs: () => monotonicMs,
    at: (atMonotonicMs, fn) => {
      order += 1;
      const id = order;
      deadlines.set(id, { atMs: atMonotonicMs, fn });
      return () => deadlines.delete(id);
    },
    advance: (ms) => {
      const untilMs = monotonicMs + ms;
      for (let id = earliest(); id !== null; id = earliest()) {
        const deadline = deadlines.get(id);
        if (!deadline || deadline.atMs > untilMs) break;
        deadlines.delete(id);
        monotonicMs = Math.max(monotonicMs, deadline.atMs);
        deadline.fn();
      }
      monotonicMs = untilMs;
    },
    shiftWall: (ms) => {
      wallOffsetMs += ms;
    },
    nextAtMs: () => {
      const id = earliest();
      return id === null ? null : (deadlines.get(id)?.atMs ?? null);
    },
  };
}
