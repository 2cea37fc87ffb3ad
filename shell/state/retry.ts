/** Asks again for what failed, later and later, until it comes. An event or a person may ask before. */
import { reconnectWaitMs } from '../events/client.ts';
import { tryLater, tryWhenTold } from '../events/try-later.ts';
import { ApiError } from '../session/api.ts';

export interface Retry {
  /** Schedules another attempt after a failure; the wait is never shorter than the portal asked for. Only one wait runs at a time. */
  failed(error: unknown): void;
  /** It came: nothing waits any more, and the next failure begins with a short wait. */
  succeeded(): void;
  /** Asks now instead of waiting; nothing where nothing waits. */
  now(): void;
}

/** `ask` reports the outcome by `failed` or `succeeded`. */
export function createRetry(ask: () => void, random: () => number = Math.random): Retry {
  let cancel: (() => void) | null = null;
  let attempt = 0;
  const stop = (): void => {
    cancel?.();
    cancel = null;
  };
  const again = (): void => {
    cancel = null;
    ask();
  };
  return {
    failed: (error) => {
      const leastMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      if (cancel !== null) return;
      const waitMs = Math.max(leastMs, reconnectWaitMs(attempt++, random()));
      cancel = (leastMs > 0 ? tryWhenTold : tryLater)(waitMs, again);
    },
    succeeded: () => {
      stop();
      attempt = 0;
    },
    now: () => {
      if (cancel === null) return;
      stop();
      ask();
    },
  };
}
