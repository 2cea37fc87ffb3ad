/** Wall-time alarms of the queue: a heap with one timer, for the earliest. A wall clock that jumps is noticed within a minute. */
import type { Clock } from '../schema/clock.ts';

export interface Alarms {
  /** Rings the key at a wall time; another time replaces it, null clears it. */
  readonly set: (key: string, atMs: number | null) => void;
  readonly clear: () => void;
}

export function createAlarms(clock: Clock, ring: (key: string) => void): Alarms {
  const times = new Map<string, number>();
  const heap: { readonly key: string; readonly atMs: number }[] = [];
  let armedAtMs = Number.POSITIVE_INFINITY;
  let cancel: (() => void) | null = null;

  const arm = (): void => {
    const first = heap[0];
    const atMs = first?.atMs ?? Number.POSITIVE_INFINITY;
    if (atMs === armedAtMs) return;
    cancel?.();
    cancel = null;
    armedAtMs = atMs;
    if (first) cancel = clock.at(clock.monotonicMs() + Math.min(60_000, Math.max(0, atMs - clock.nowMs())), fire);
  };
  const fire = (): void => {
    armedAtMs = Number.NaN;
    const nowMs = clock.nowMs();
    for (let first = heap[0]; first && first.atMs <= nowMs; first = heap[0]) {
      popHeap(heap);
      if (times.get(first.key) !== first.atMs) continue;
      times.delete(first.key);
      ring(first.key);
    }
    arm();
  };
  return {
    set: (key, atMs) => {
      if (times.get(key) === (atMs ?? undefined)) return;
      if (atMs === null) {
        times.delete(key);
        return;
      }
      times.set(key, atMs);
      // Times that were moved stay behind in the heap; it is rebuilt before they outnumber the live ones.
      if (heap.length > 1_000 + 2 * times.size) {
        heap.length = 0;
        for (const [key, atMs] of times) pushHeap(heap, { key, atMs });
      } else pushHeap(heap, { key, atMs });
      arm();
    },
    clear: () => {
      cancel?.();
      times.clear();
      heap.length = 0;
    },
  };
}

type Alarm = { readonly key: string; readonly atMs: number };

function pushHeap(heap: Alarm[], alarm: Alarm): void {
  let index = heap.push(alarm) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Alarm;
    if (above.atMs <= alarm.atMs) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = alarm;
}

function popHeap(heap: Alarm[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] as Alarm).atMs < (heap[child] as Alarm).atMs) child += 1;
    const below = heap[child] as Alarm;
    if (below.atMs >= last.atMs) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
}
