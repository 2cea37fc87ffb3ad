/** How fast one person may submit and change, whichever of their pages and backends does; 429 with the wait. */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { createLeakyCells } from '../auth/leaky-cells.ts';
import { limits } from './limits.ts';

/** Throws RATE_LIMITED when this one more is too many. */
export type CountChange = (usuario: string) => void;

export function countChanges(clock: Clock): CountChange {
  const cells = createLeakyCells(clock, { burst: limits.queueChangesBurst, refillMs: limits.queueChangeRefillMs });
  return (usuario) => {
    const waitMs = cells.take(usuario);
    if (waitMs > 0) throw new SvcError('RATE_LIMITED', 'too many at once: wait a little', { retryAfterMs: Math.ceil(waitMs) });
  };
}
