/** Work on many entries that gives way to everything else in between. */
import { AsyncResource } from 'node:async_hooks';
import { limits } from './limits.ts';

const waiting: (() => void)[] = [];

/** Many such works at once have one slice in a turn of the loop all together. Each slice is work for whom its own work is. */
export async function ownTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (waiting.push(AsyncResource.bind(resolve)) === 1) setImmediate(passOn);
  await promise;
}

function passOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(passOn);
}

/** Called at each step; waits a turn of the event loop when a slice is over. `every`: so many steps are never longer than a slice. */
export function createSlices(every = 64, nowMs: () => number = () => performance.now()): () => Promise<void> | null {
  let sinceMs = nowMs();
  let steps = 0;
  const rest = async (): Promise<void> => {
    await ownTurn();
    sinceMs = nowMs();
  };
  return () => {
    steps += 1;
    // The clock is not free either.
    if (steps % every !== 0 || nowMs() - sinceMs < limits.filesSliceMs) return null;
    return rest();
  };
}

/** A new array in order; stable. */
export async function sortInSlices<Item>(items: readonly Item[], compare: (left: Item, right: Item) => number): Promise<Item[]> {
  const step = createSlices();
  const run = 64;
  let from: Item[] = [];
  for (let at = 0; at < items.length; at += run) {
    from.push(...items.slice(at, at + run).sort(compare));
    await turnAfter(run, step);
  }
  for (let width = run; width < from.length; width *= 2) {
    const to: Item[] = [];
    for (let at = 0; at < from.length; at += 2 * width) {
      const [leftEnd, rightEnd] = [Math.min(at + width, from.length), Math.min(at + 2 * width, from.length)];
      let [left, right] = [at, leftEnd];
      while (left < leftEnd || right < rightEnd) {
        const takesLeft = right >= rightEnd || (left < leftEnd && compare(from[left] as Item, from[right] as Item) <= 0);
        to.push(from[takesLeft ? left++ : right++] as Item);
        const wait = step();
        if (wait !== null) await wait;
      }
    }
    from = to;
  }
  return from;
}

async function turnAfter(count: number, step: () => Promise<void> | null): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const wait = step();
    if (wait !== null) await wait;
  }
}
