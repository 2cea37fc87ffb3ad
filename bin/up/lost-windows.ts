/**
 * Pages of a portal that is gone come back at another one, which counts them: what it counted itself is over. The portal that leads sees to that. One
 * that the database had no row of at one look may only not have renewed it yet after the database was away: it is gone when it is missing at two.
 */
import type { Clock } from '../../schema/clock.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../../schema/limits.ts';
import type { Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';

export interface LostWindows {
  /** Ids of the portals that live now. */
  readonly living: () => Promise<readonly string[]>;
  readonly store: Pick<Store, 'closeWindows'>;
  readonly bus: Pick<Bus, 'enqueue'>;
  readonly clock: Clock;
  readonly leads: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** At each resync. Answers how to end it. */
export function closeLostWindows({ living, store, bus, clock, leads, onError }: LostWindows): () => void {
  let isOver = false;
  let cancel = (): void => undefined;
  let before: readonly string[] | null = null;
  const look = async (): Promise<void> => {
    if (!leads()) {
      before = null;
      return;
    }
    const now = await living();
    const closed = before === null ? [] : await store.closeWindows(false, [...new Set([...before, ...now])], clock.nowMs());
    before = now;
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
