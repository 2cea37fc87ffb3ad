/** Failed passes per client address and minute: an attacker costs us neither the store's time nor the log's room. */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../../schema/limits.ts';

export interface Attempts {
  /** Milliseconds until the address may try again; 0 when it may now. */
  blockedMs(address: string): number;
  failed(address: string): void;
}

export function createAttempts(clock: Clock): Attempts {
  const windowMs = 60_000;
  const failures = new Map<string, { count: number; readonly untilMs: number }>();
  const current = (address: string) => {
    const entry = failures.get(address);
    if (entry && entry.untilMs > clock.monotonicMs()) return entry;
    failures.delete(address);
    return null;
  };
  return {
    blockedMs: (address) => {
      const entry = current(address);
      return entry && entry.count >= limits.failedPassesPerMinuteMax ? entry.untilMs - clock.monotonicMs() : 0;
    },
    failed: (address) => {
      const entry = current(address);
      if (entry) {
        entry.count += 1;
        return;
      }
      if (failures.size >= limits.failedPassAddressesMax) failures.clear();
      failures.set(address, { count: 1, untilMs: clock.monotonicMs() + windowMs });
    },
  };
}
