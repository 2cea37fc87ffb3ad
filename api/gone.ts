/** What ends when the caller of a route goes away. */
import type { ServerResponse } from 'node:http';

/** Also when the caller left before this was asked: `close` is emitted once, and whatever a route waits for first takes its time. */
export function onGone(res: ServerResponse, act: () => void): void {
  if (res.closed) act();
  else res.once('close', act);
}

/** Fires when the caller goes away before the answer. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  onGone(res, () => gone.abort());
  return gone.signal;
}
