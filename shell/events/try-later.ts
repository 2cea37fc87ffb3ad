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

/**
 * The same for a portal that said how long to wait: it is not asked before, unless the network is another one now. What it said was about the one
 * before.
 */
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

/** Such a moment. What fails again meanwhile waits for the next one. */
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
