/** How many uploads come in at once, in all and for one owner: one more is refused with the wait. */
import { SvcError } from '../../schema/errors.ts';

/** Answers how to end it; a second end is none. */
export type BeginUpload = (owner: string) => () => void;

export function createUploads({ max, perOwnerMax }: { readonly max: number; readonly perOwnerMax: number }): BeginUpload {
  const byOwner = new Map<string, number>();
  let count = 0;
  return (owner) => {
    const own = byOwner.get(owner) ?? 0;
    if (count >= max || own >= perOwnerMax)
      throw new SvcError('RATE_LIMITED', 'too many uploads at once: try again', { retryAfterMs: 1_000 });
    count += 1;
    byOwner.set(owner, own + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      count -= 1;
      const left = (byOwner.get(owner) ?? 1) - 1;
      if (left === 0) byOwner.delete(owner);
      else byOwner.set(owner, left);
    };
  };
}
