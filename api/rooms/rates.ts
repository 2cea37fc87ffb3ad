/** How fast one person, or an app of theirs, may ask, whichever of their pages and backends does; 429 with the wait. Numbers: limits.ts of rooms. */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { createLeakyCells } from '../auth/leaky-cells.ts';

const kinds = {
  ticket: { burst: limits.roomTicketsBurst, refillMs: limits.roomTicketRefillMs },
  change: { burst: limits.roomChangesBurst, refillMs: limits.roomChangeRefillMs },
  notice: { burst: limits.noticesBurst, refillMs: limits.noticeRefillMs },
  appNotice: { burst: limits.appNoticesBurst, refillMs: limits.appNoticeRefillMs },
  search: { burst: limits.searchesBurst, refillMs: limits.searchRefillMs },
} as const;

export interface Rates {
  /** Throws RATE_LIMITED when this one more is too many. */
  count(kind: keyof typeof kinds, who: string): void;
}

export function createRates(clock: Clock): Rates {
  const cells = Object.fromEntries(Object.entries(kinds).map(([kind, options]) => [kind, createLeakyCells(clock, options)]));
  return {
    count: (kind, who) => {
      const waitMs = cells[kind]?.take(who) ?? 0;
      if (waitMs > 0) throw new SvcError('RATE_LIMITED', 'too many at once: wait a little', { retryAfterMs: Math.ceil(waitMs) });
    },
  };
}
