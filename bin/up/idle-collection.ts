/**
 * Collects the heap of a portal that rests. V8 keeps the pages that a burst filled until a collection, and while little is allocated none comes.
 * Decision: docs/decisions/0373-memory-goes-back.md
 */
import { getHeapStatistics } from 'node:v8';
import { systemClock } from '../../controller/clock/system.ts';
import type { Clock } from '../../schema/clock.ts';
import { collector } from '../../schema/garbage.ts';
import { limits } from '../limits.ts';

interface Heap {
  readonly clock: Pick<Clock, 'at' | 'monotonicMs'>;
  /** Stops the loop for as long as the heap in use is large. */
  readonly collect: () => void;
  /** Bytes. */
  readonly memory: () => { readonly rss: number; readonly heapUsed: number };
  /** Part of the time since the last call in which the loop did not wait: 0 to 1. */
  readonly load: () => number;
}

function loopLoad(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

const collectWhole = collector();
const own: Heap = {
  clock: systemClock,
  collect: () => collectWhole({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  memory: () => ({ rss: process.memoryUsage.rss(), heapUsed: getHeapStatistics().used_heap_size }),
  load: loopLoad(),
};

/** Returns what ends it. */
export function collectAtRest({ clock, collect, memory, load }: Heap = own): () => void {
  let keptBytes = 0;
  let cancel = (): void => undefined;
  const look = (): void => {
    const isAtRest = load() < limits.restLoadMax;
    const { rss, heapUsed } = memory();
    if (isAtRest && rss > keptBytes + limits.restGrownBytesMin && heapUsed < limits.restHeapBytesMax) {
      collect();
      keptBytes = memory().rss;
    }
    // Memory that went back by itself counts as given back.
    keptBytes = Math.min(keptBytes, rss);
    again();
  };
  const again = (): void => {
    cancel = clock.at(clock.monotonicMs() + limits.restLookMs, look);
  };
  again();
  return () => cancel();
}
