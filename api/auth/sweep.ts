/** A session that expires, or ends with its person, sends no event: sockets are checked now and then. */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Sessions } from './sessions.ts';

export interface SweepDeps {
  readonly clock: Clock;
  readonly sessions: Pick<Sessions, 'alive' | 'end'>;
  readonly carried: () => readonly { readonly person: string; readonly session: string }[];
  readonly onError: (error: unknown) => void;
}

/** Answers what ends it. */
export function sweepSessions({ clock, sessions, carried, onError }: SweepDeps): () => void {
  let cancel = (): void => {};
  const again = (): void => {
    cancel = clock.at(clock.monotonicMs() + limits.eventPingMs, tick);
  };
  const tick = (): void => {
    sweep().catch(onError);
    again();
  };
  const sweep = async (): Promise<void> => {
    const seen = new Map(carried().map(({ session, person }) => [session, person]));
    for (const [root, person] of seen) if (!(await sessions.alive(root))) await sessions.end({ person, root });
  };
  again();
  return () => cancel();
}
