/** Bounds equal lines and events: a few a minute are written; the others are counted, and the next one that is written says how many. */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';

interface Window {
  readonly sinceMs: number;
  written: number;
  readonly causes: Map<string, Cause>;
}

interface Cause {
  written: number;
  leftOut: number;
}

/** Answers how many of the same were left out before this one; null: this one is left out, too. */
export type Count = (key: string, cause: string) => number | null;

export function createCount(clock: Clock): Count {
  const windows = new Map<string, Window>();
  return (key, cause) => {
    const nowMs = clock.monotonicMs();
    let window = windows.get(key);
    if (window === undefined || nowMs - window.sinceMs >= limits.linesWindowMs) {
      // Moved to the end: the first one is the one that was opened the longest ago.
      windows.delete(key);
      window = { sinceMs: nowMs, written: 0, causes: new Map(keptOf(window)) };
      windows.set(key, window);
      for (const [one, { sinceMs }] of windows) {
        if (nowMs - sinceMs < limits.linesForgottenMs) break;
        windows.delete(one);
      }
    }
    const name = window.causes.has(cause) || window.causes.size < limits.lineCausesMax ? cause : '';
    const known = window.causes.get(name) ?? { written: 0, leftOut: 0 };
    window.causes.set(name, known);
    if (known.written >= limits.linesOfCauseMax || window.written >= limits.linesOfKeyMax) {
      known.leftOut += 1;
      return null;
    }
    const { leftOut } = known;
    known.written += 1;
    known.leftOut = 0;
    window.written += 1;
    return leftOut;
  };
}

/** Yields the causes that were counted in the window before and not reported yet. */
function* keptOf(before: Window | undefined): Generator<[string, Cause]> {
  for (const [name, { leftOut }] of before?.causes ?? []) if (leftOut > 0) yield [name, { written: 0, leftOut }];
}
