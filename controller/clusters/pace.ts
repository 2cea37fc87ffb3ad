/** How often a cluster is asked, and how many questions are under way. */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';

/** Resolves when it is the caller's turn: so many a second, in the order in which they asked. Rejects CANCELLED. */
export function createPace(clock: Clock, perSecond: number): (signal: AbortSignal) => Promise<void> {
  let nextAtMs = -Infinity;
  return async (signal) => {
    const nowMs = clock.monotonicMs();
    // A short burst goes through at once.
    const atMs = Math.max(nowMs - 1_000, nextAtMs) + 1_000 / perSecond;
    nextAtMs = atMs;
    if (atMs <= nowMs) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.at(atMs, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
    if (signal.aborted) throw new SvcError('CANCELLED', 'the question to the cluster was cancelled');
  };
}

/** In order, at most so many at once. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const found: Result[] = [];
  for (let at = 0; at < items.length; at += atOnce) found.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  return found;
}
