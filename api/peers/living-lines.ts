/**
 * Lines to a portal that went without a word (its machine stopped, a network that drops everything) end once the database says that it lives no
 * more: a client behind one would receive nothing for minutes, and its room is another portal's by then.
 * Decision: docs/decisions/0301-lines-between-portals.md
 */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';

export interface LivingLines {
  /** `end` is called once the portal at `address` is gone; the answer takes the line off. */
  watch(address: string, end: () => void): () => void;
}

/** Nobody is asked while nothing is carried. `living` rejects: what is not known ends nothing. */
export function createLivingLines(clock: Clock, living: () => Promise<ReadonlySet<string>>): LivingLines {
  const lines = new Map<string, Set<() => void>>();
  let isArmed = false;
  const look = async (): Promise<void> => {
    const known = [...lines.keys()];
    const alive = await living().catch(() => null);
    for (const address of alive === null ? [] : known) {
      if (alive?.has(address) !== true) lines.get(address)?.forEach((end) => end());
    }
    isArmed = false;
    arm();
  };
  const arm = (): void => {
    if (isArmed || lines.size === 0) return;
    isArmed = true;
    clock.at(clock.monotonicMs() + limits.peerLooksMs, () => void look());
  };
  return {
    watch: (address, end) => {
      const ends = lines.get(address) ?? new Set();
      lines.set(address, ends.add(end));
      arm();
      return () => {
        ends.delete(end);
        if (ends.size === 0 && lines.get(address) === ends) lines.delete(address);
      };
    },
  };
}
