/** How a server of HTTP begins and ends. */
import type http from 'node:http';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';

/** Rejects as the server does when the address is taken. */
export function listening(server: http.Server, at: { readonly host: string; readonly port: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(at, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}

/** Takes nothing more, and waits a moment for what was begun. */
export async function drained(server: http.Server, clock: Clock): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const endMs = clock.monotonicMs() + limits.drainMsMax;
  for (let isOver = false; !isOver && clock.monotonicMs() < endMs;) {
    server.closeIdleConnections();
    const pause = new Promise<false>((go) => clock.at(clock.monotonicMs() + limits.drainLookMs, () => go(false)));
    isOver = await Promise.race([ended.then(() => true), pause]);
  }
}

/** At once, with every connection. */
export async function closed(server: http.Server): Promise<void> {
  if (!server.listening) return server.closeAllConnections();
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await ended;
}
