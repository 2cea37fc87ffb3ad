/** A session that expires sends no event: what sessions carry is checked now and then, and whenever people may have gone. */
import type { Clock } from '../../schema/clock.ts';
import type { Bus } from '../../store/bus.ts';
import type { Carrying } from './open-answers.ts';
import { limits } from '../limits.ts';
import type { Sessions } from './sessions.ts';

export interface SweepDeps {
  readonly clock: Clock;
  readonly bus: Pick<Bus, 'onPeopleChanged'>;
  readonly sessions: Pick<Sessions, 'alive' | 'end'>;
  readonly carried: () => readonly Carrying[];
  readonly onError: (error: unknown) => void;
}

/** Answers what ends it. */
export function sweepSessions({ clock, bus, sessions, carried, onError }: SweepDeps): () => void {
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
  const off = bus.onPeopleChanged(() => void sweep().catch(onError));
  return () => {
    off();
    cancel();
  };
}
