/** Tells the other portals of the store which servers this one does not reach: it may lead next, and nothing of them is ordered then. */
import type { Pool } from 'pg';
import type { Clock } from '../../schema/clock.ts';
import { sayUnreached } from '../../store/portals.ts';
import { limits } from '../limits.ts';

export interface TellUnreachedOptions {
  readonly pool: Pool;
  /** Id of this portal among the others. */
  readonly portal: string;
  readonly unreached: () => readonly string[];
  readonly clock: Clock;
}

/** Answers what ends it. */
export function tellUnreached({ pool, portal, unreached, clock }: TellUnreachedOptions): () => void {
  let isOver = false;
  let told = '[]';
  let cancel = (): void => undefined;
  const tell = async (): Promise<void> => {
    const names = unreached();
    const text = JSON.stringify(names);
    // A row that was made anew knows of none.
    if (text !== told || names.length > 0) {
      // The next pass reports it again.
      await sayUnreached(pool, portal, names).then(
        () => (told = text),
        () => undefined,
      );
    }
    if (!isOver) cancel = clock.at(clock.monotonicMs() + limits.portalReachMs, () => void tell());
  };
  void tell();
  return () => {
    isOver = true;
    cancel();
  };
}
