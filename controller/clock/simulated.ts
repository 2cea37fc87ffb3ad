/**
 * The same clock in simulated time: a heap that steps to each deadline in turn, so that a deadline set on the way is itself met and nothing
 * is jumped past (the trap of XState's own SimulatedClock). Firing n deadlines costs n log n. Each reading is a little later than the one
 * before (schema/testing/moving.ts).
 */
import type { Clock } from '../../schema/clock.ts';
import { readingMs } from '../../schema/testing/moving.ts';
import { popHeap, pushHeap } from './heap.ts';

export interface SimulatedClock extends Clock {
  /** Lets `ms` pass, stepping to every deadline on the way. Deadlines at the same time fire in the order they were set. */
  advance(ms: number): void;
  /** Moves to a monotonic time without firing anything; throws when a deadline lies before it: a jump must not hide one. */
  jumpTo(monotonicMs: number): void;
  /** Moves to the next deadline and fires it; false when none is set. */
  step(): boolean;
  /** Moves the wall time only, as an administrator or NTP does. */
  shiftWall(ms: number): void;
  /** Monotonic time of the next deadline, null when none is set. */
  nextAtMs(): number | null;
}

interface Deadline {
  readonly atMs: number;
  readonly order: number;
  fn: (() => void) | null;
}

const before = (a: Deadline, b: Deadline): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** `stepMs`: how much later each reading is; 0 where the clock is the world itself and what happens at one moment is compared. */
export function createSimulatedClock(startWallMs: number, stepMs = readingMs): SimulatedClock {
  let monotonicMs = 0;
  let wallOffsetMs = startWallMs;
  let orders = 0;
  const heap: Deadline[] = [];

  const read = (): number => {
    monotonicMs += stepMs;
    return monotonicMs;
  };
  const first = (): Deadline | undefined => {
    while (heap[0] !== undefined && heap[0].fn === null) popHeap(heap, before);
    return heap[0];
  };
  const step = (): boolean => {
    const next = first();
    if (next === undefined) return false;
    popHeap(heap, before);
    monotonicMs = Math.max(monotonicMs, next.atMs);
    const { fn } = next;
    next.fn = null;
    fn?.();
    return true;
  };
  return {
    nowMs: () => wallOffsetMs + Math.floor(read()),
    monotonicMs: read,
    at: (atMonotonicMs, fn) => {
      orders += 1;
      const deadline: Deadline = { atMs: atMonotonicMs, order: orders, fn };
      pushHeap(heap, deadline, before);
      return () => {
        deadline.fn = null;
      };
    },
    advance: (ms) => {
      const untilMs = monotonicMs + ms;
      for (let next = first(); next !== undefined && next.atMs <= untilMs; next = first()) step();
      monotonicMs = Math.max(monotonicMs, untilMs);
    },
    jumpTo: (toMs) => {
      const next = first();
      if (toMs < monotonicMs) throw new RangeError(`time does not run backwards: ${monotonicMs} to ${toMs} ms`);
      if (next !== undefined && next.atMs < toMs)
        throw new RangeError(`a deadline at ${next.atMs} ms lies before ${toMs} ms: step to it first`);
      monotonicMs = toMs;
    },
    step,
    shiftWall: (ms) => {
      wallOffsetMs += ms;
    },
    nextAtMs: () => first()?.atMs ?? null,
  };
}
