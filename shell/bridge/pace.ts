/** How much of the shell's time the page of an app may take: a page that talks without end must not freeze the desktop. */

interface Rate {
  /** At once, after a rest. */
  readonly burst: number;
  readonly perSecond: number;
}

/** A pointer that drags sends up to 240 messages a second. */
const messages: Rate = { burst: 1_000, perSecond: 400 };

export interface Pace {
  /** False: too many, this one is not to be carried out. */
  take(nowMs: number): boolean;
}

/** A bucket that fills again while time goes by. */
export function createPace(nowMs: number, { burst, perSecond }: Rate = messages): Pace {
  let left = burst;
  let atMs = nowMs;
  return {
    take: (now) => {
      left = Math.min(burst, left + ((now - atMs) * perSecond) / 1_000);
      atMs = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

/** Calls at once for what comes alone, and for a crowd of one sender only its last, when the time is over. */
export function createGathering<Item>(quietMs: number, handle: (item: Item) => void): (sender: object, item: Item) => void {
  const waiting = new WeakMap<object, { item: Item | null }>();
  const release = (sender: object, slot: { item: Item | null }): void => {
    const { item } = slot;
    if (item === null) {
      waiting.delete(sender);
      return;
    }
    slot.item = null;
    setTimeout(release, quietMs, sender, slot);
    handle(item);
  };
  return (sender, item) => {
    const slot = waiting.get(sender);
    if (slot !== undefined) {
      slot.item = item;
      return;
    }
    const fresh = { item: null };
    waiting.set(sender, fresh);
    setTimeout(release, quietMs, sender, fresh);
    handle(item);
  };
}
