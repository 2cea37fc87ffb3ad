/**
 * Gives back what a burst left. V8 collects when its heap is full; a supervisor that has started its apps then fills nothing for hours, and
 * keeps what the starts left. Decision: docs/decisions/0268-rounds-of-apps-at-rest.md
 */
import { getHeapStatistics } from 'node:v8';
import { limits } from './limits.ts';

interface Heap {
  readonly usedBytes: () => number;
  /** Null without `--expose-gc` (bin/svc-app-supervisor). */
  readonly collect: (() => void) | null;
}

const { gc } = globalThis;
const v8Heap: Heap = {
  usedBytes: () => getHeapStatistics().used_heap_size,
  // Only this flavour returns half-empty pages to the system.
  collect: gc === undefined ? null : () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
};

export interface Collector {
  /** Something was published. */
  readonly stir: () => void;
  /** Collects after a pass without that: everything stands still for some ten milliseconds. */
  readonly round: () => void;
}

export function quietCollector({ usedBytes, collect }: Heap = v8Heap): Collector {
  let keptBytes = 0;
  let isQuiet = false;
  return {
    stir: () => {
      isQuiet = false;
    },
    round: () => {
      if (collect !== null && isQuiet && usedBytes() - keptBytes >= limits.heapGrowthBytes) {
        collect();
        keptBytes = usedBytes();
      }
      isQuiet = true;
    },
  };
}
