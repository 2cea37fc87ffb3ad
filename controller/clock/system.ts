/** The system clock as the project's one clock: wall time for stamps, monotonic time for waiting. */
import type { Clock } from '../../schema/clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  at: (atMonotonicMs, fn) => {
    let timer: NodeJS.Timeout;
    // Node fires a timer of more than 2^31 ms at once: far deadlines are reached in steps.
    const wait = (): void => {
      const leftMs = atMonotonicMs - performance.now();
      timer = leftMs > 1_000_000_000 ? setTimeout(wait, 1_000_000_000) : setTimeout(fn, Math.max(0, Math.ceil(leftMs)));
    };
    wait();
    return () => clearTimeout(timer);
  },
};
