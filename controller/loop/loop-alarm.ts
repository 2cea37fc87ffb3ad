/** Notices a key whose decisions feed themselves: work without an edge from the world, again and again (anchors B13). */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../../schema/limits.ts';
import type { Log } from './record.ts';

/** To be called for each decision; tells a key once a minute when it was decided more often than anything real can cause. */
export function createLoopAlarm(clock: Clock, log: Log): (key: string) => void {
  let minute = 0;
  let counts = new Map<string, number>();
  return (key) => {
    const now = Math.floor(clock.monotonicMs() / 60_000);
    if (now !== minute) {
      minute = now;
      counts = new Map();
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count === limits.decisionsPerMinuteMax) log.error({ key, decisions: count }, 'decided without end within one minute');
  };
}
