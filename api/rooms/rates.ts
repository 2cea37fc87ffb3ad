/** Rates of rooms and notices for each person or app. Numbers: limits.ts. */
import type { Clock } from '../../schema/clock.ts';
import { createRate } from '../http/rate.ts';
import { limits } from './limits.ts';

const kinds = {
  ticket: { burst: limits.roomTicketsBurst, refillMs: limits.roomTicketRefillMs },
  change: { burst: limits.roomChangesBurst, refillMs: limits.roomChangeRefillMs },
  notice: { burst: limits.noticesBurst, refillMs: limits.noticeRefillMs },
  appNotice: { burst: limits.appNoticesBurst, refillMs: limits.appNoticeRefillMs },
  version: { burst: limits.versionsBurst, refillMs: limits.versionRefillMs },
  search: { burst: limits.searchesBurst, refillMs: limits.searchRefillMs },
} as const;

export interface Rates {
  /** Throws RATE_LIMITED when this one more is too many. */
  count(kind: keyof typeof kinds, who: string): void;
}

export function createRates(clock: Clock): Rates {
  const rates = Object.fromEntries(Object.entries(kinds).map(([kind, options]) => [kind, createRate(clock, options)]));
  return { count: (kind, who) => rates[kind]?.(who) };
}
