/** Wall-time alarms of the queue: a heap with one timer, for the earliest. A wall clock that jumps is noticed within a minute. */
import type { Clock } from '../../schema/clock.ts';
import { popHeap, pushHeap } from './heap.ts';

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
      popHeap(heap, sooner);
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
        for (const [key, atMs] of times) pushHeap(heap, { key, atMs }, sooner);
      } else pushHeap(heap, { key, atMs }, sooner);
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

const sooner = (a: Alarm, b: Alarm): boolean => a.atMs < b.atMs;
