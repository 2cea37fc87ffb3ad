/**
 * Retries that wait for the portal, and the moments that end the wait: the portal is back, the network is, the page is seen or used again,
 * the person pressed "now". Decision: docs/decisions/0321-a-portal-that-is-away.md
 */
const waiting = new Set<() => void>();

/** Calls `run` after `ms`, or at the next such moment. Returns the function that cancels. */
export const tryLater = (ms: number, run: () => void): (() => void) =>
  later(ms, run, (now) => {
    waiting.add(now);
    return () => waiting.delete(now);
  });

/** Retries after the wait that a portal asked for, not before, unless the network changed: the wait was for the former network. */
export const tryWhenTold = (ms: number, run: () => void): (() => void) =>
  later(ms, run, (now) => {
    addEventListener('online', now);
    return () => removeEventListener('online', now);
  });

/** `listen` has it called sooner, and returns what ends that. */
function later(ms: number, run: () => void, listen: (now: () => void) => () => unknown): () => void {
  const cancel = (): void => {
    clearTimeout(timer);
    unlisten();
  };
  const now = (): void => {
    cancel();
    run();
  };
  const timer = setTimeout(now, ms);
  const unlisten = listen(now);
  return cancel;
}

/** Runs all waiting retries now. A retry that fails meanwhile waits for the next moment. */
export function tryNow(): void {
  const due = Array.from(waiting);
  for (const now of due) now();
}

/** Calls `moment` whenever this page may know better than its timers. */
export function watchMoments(moment: () => void): void {
  addEventListener('online', moment);
  addEventListener('focus', moment);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') moment();
  });
}
