/** Ends work when the caller of a route goes away. */
import type { ServerResponse } from 'node:http';

/** A single listener for each response: a route, its stream and Fastify together would exceed the number that Node takes without a warning. */
const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/** Also when the caller left before this was asked: `close` is emitted once, and whatever a route waits for first takes its time. */
export function onGone(res: ServerResponse, act: () => void): void {
  if (res.closed) return act();
  const acts = waiting.get(res);
  if (acts !== undefined) return void acts.push(act);
  const all = [act];
  waiting.set(res, all);
  res.once('close', () => {
    for (const each of all) each();
  });
}

/** Fires when the caller goes away before the answer. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  onGone(res, () => gone.abort());
  return gone.signal;
}
