/**
 * Gives memory back that rooms let go. Their documents lie outside the JavaScript heap, so that an idle portal would keep them until something
 * else makes it collect. Decision: docs/decisions/0142-budget-of-rooms.md
 */
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';

export interface Reclaim {
  /** So many bytes are free again. */
  freed(bytes: number): void;
  close(): void;
}

/** `collect` holds up the event loop for some ten milliseconds: only for much, and not again and again. */
export function createReclaim(clock: Clock, collect: () => void): Reclaim {
  let bytes = 0;
  let lastMs = -Infinity;
  let cancel: (() => void) | null = null;
  const run = (): void => {
    cancel = null;
    bytes = 0;
    lastMs = clock.monotonicMs();
    collect();
  };
  return {
    freed: (more) => {
      bytes += more;
      if (cancel !== null || bytes < limits.roomReclaimBytesMin) return;
      cancel = clock.at(Math.max(clock.monotonicMs() + limits.roomReclaimQuietMs, lastMs + limits.roomReclaimMs), run);
    },
    close: () => cancel?.(),
  };
}
