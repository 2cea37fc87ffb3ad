/** How busy the event loop is: the share of the last moments in which it did not wait. Read by who may put work off (turns.ts). */
import { limits } from '../limits.ts';

export function createLoopLoad(): () => number {
  let before = performance.eventLoopUtilization();
  let sinceMs = performance.now();
  let busy = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs - sinceMs < limits.roomLoadMs) return busy;
    const now = performance.eventLoopUtilization();
    busy = performance.eventLoopUtilization(now, before).utilization;
    before = now;
    sinceMs = nowMs;
    return busy;
  };
}
