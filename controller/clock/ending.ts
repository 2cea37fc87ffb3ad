/** A clock whose waits can be given up together: what nobody cancelled would keep the process alive for as long as it waits. */
import type { Clock } from '../../schema/clock.ts';

export interface EndingClock extends Clock {
  /** Cancels every wait under way; one that begins afterwards never ends. */
  end(): void;
}

export function endingClock(clock: Clock): EndingClock {
  const waits = new Set<() => void>();
  let isOver = false;
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    at: (atMonotonicMs, fn) => {
      if (isOver) return () => undefined;
      const cancel = (): void => {
        waits.delete(cancel);
        cancelWait();
      };
      const cancelWait = clock.at(atMonotonicMs, () => {
        waits.delete(cancel);
        fn();
      });
      waits.add(cancel);
      return cancel;
    },
    end: () => {
      isOver = true;
      for (const cancel of waits) cancel();
    },
  };
}
