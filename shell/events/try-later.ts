/**
 * What waits to ask the portal again, and the moments in which it does not wait any longer: the portal is back, the network is, the page is
 * looked at or used again, the person pressed "now". Decision: docs/decisions/0321-a-portal-that-is-away.md
 */
const waiting = new Set<() => void>();

/** Calls `run` after `ms`, or at the next such moment. Returns the function that cancels. */
export function tryLater(ms: number, run: () => void): () => void {
  const cancel = (): void => {
    clearTimeout(timer);
    waiting.delete(now);
  };
  const now = (): void => {
    cancel();
    run();
  };
  const timer = setTimeout(now, ms);
  waiting.add(now);
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
