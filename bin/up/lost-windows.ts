/** Pages of a portal that is gone come back at another one, which counts them: what it counted itself is over. The portal that leads sees to that. */
import type { Pool } from 'pg';
import type { Clock } from '../../schema/clock.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../../schema/limits.ts';
import type { Bus } from '../../store/bus.ts';
import { livingPortals } from '../../store/portals.ts';
import type { Store } from '../../store/store.ts';

export interface LostWindows {
  readonly pool: Pool;
  readonly store: Pick<Store, 'closeWindows'>;
  readonly bus: Pick<Bus, 'enqueue'>;
  readonly clock: Clock;
  readonly leads: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** At each resync. Answers how to end it. */
export function closeLostWindows({ pool, store, bus, clock, leads, onError }: LostWindows): () => void {
  let isOver = false;
  let cancel = (): void => undefined;
  const look = async (): Promise<void> => {
    if (!leads()) return;
    const living = await livingPortals(pool, clock);
    const closed = await store.closeWindows(
      false,
      living.map(({ id }) => id),
      clock.nowMs(),
    );
    for (const { person, app } of closed) bus.enqueue(keys.backend(person, app), false);
  };
  const arm = (): void => {
    if (!isOver) cancel = clock.at(clock.monotonicMs() + limits.resyncMs, () => void look().catch(onError).finally(arm));
  };
  arm();
  return () => {
    isOver = true;
    cancel();
  };
}
