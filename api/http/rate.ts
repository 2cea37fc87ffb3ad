/** How fast one person, or an app of theirs, may ask, whichever of their pages and backends does; 429 with the wait. */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { createLeakyCells, type LeakyOptions } from '../auth/leaky-cells.ts';

/** Counts one more. Throws RATE_LIMITED when it is too many. */
export type Rate = (who: string) => void;

export function createRate(clock: Clock, options: LeakyOptions, says = 'too many at once: wait a little'): Rate {
  const cells = createLeakyCells(clock, options);
  return (who) => {
    const waitMs = cells.take(who);
    if (waitMs > 0) throw new SvcError('RATE_LIMITED', says, { retryAfterMs: Math.ceil(waitMs) });
  };
}
