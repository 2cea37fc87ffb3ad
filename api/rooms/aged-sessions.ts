/**
 * Room sockets whose portal session ended by its age. Signing out is told at once; age is nobody's act, so it is looked for: a program that
 * took a ticket and has no page open would stay in the room otherwise. Source: anchors threats, spec 5.4.
 */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../../schema/limits.ts';
import type { Relay } from './contract.ts';

export interface AgedSessionDeps {
  readonly clock: Clock;
  readonly relay: Pick<Relay, 'pageSessions' | 'endSession'>;
  readonly alive: (session: string) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Looks every limits.roomSessionLookMs until the returned function is called. */
export function endAgedSessions({ clock, relay, alive, onError }: AgedSessionDeps): () => void {
  let cancel = (): void => {};
  let ended = false;
  const look = async (): Promise<void> => {
    for (const session of relay.pageSessions()) {
      if (!(await alive(session))) relay.endSession(session);
    }
  };
  const arm = (): void => {
    if (ended) return;
    cancel = clock.at(clock.monotonicMs() + limits.roomSessionLookMs, () => {
      look()
        .catch(onError)
        .finally(() => arm());
    });
  };
  arm();
  return () => {
    ended = true;
    cancel();
  };
}
