/** Sums by key of the last minute, in parts of some seconds: a part is forgotten as a whole. */
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';

export interface Windowed {
  add(key: string, amount: number): void;
  sum(key: string): number;
  keys(): readonly string[];
}

export function createWindowed(clock: Clock): Windowed {
  const partMs = limits.budgetWindowMs / limits.budgetWindowParts;
  /** The oldest first. */
  let parts: { readonly beganMs: number; readonly sums: Map<string, number> }[] = [];
  const current = (): Map<string, number> => {
    const nowMs = clock.monotonicMs();
    const last = parts.at(-1);
    if (last !== undefined && nowMs < last.beganMs + partMs) return last.sums;
    const sums = new Map<string, number>();
    parts = [...parts.filter(({ beganMs }) => beganMs > nowMs - limits.budgetWindowMs), { beganMs: nowMs, sums }];
    return sums;
  };
  return {
    add: (key, amount) => {
      const sums = current();
      sums.set(key, (sums.get(key) ?? 0) + amount);
    },
    sum: (key) => {
      current();
      return parts.reduce((total, { sums }) => total + (sums.get(key) ?? 0), 0);
    },
    keys: () => {
      current();
      return [...new Set(parts.flatMap(({ sums }) => Array.from(sums.keys())))];
    },
  };
}
