/**
 * Chooses the owner whose rooms give way when the memory for all rooms, or for those of one app, is used up: the owner who holds most yields to one
 * who holds less. Pure. Decision: docs/decisions/0165-shares-of-the-room-budget.md
 */
export interface Held {
  readonly bytes: number;
  /** When it was last written to. */
  readonly changedAtMs: number;
}

export interface Holder<R extends Held> {
  readonly bytes: number;
  readonly rooms: Iterable<R>;
}

/**
 * Frees so many bytes for an owner who would then hold `ownBytes`; `others` are the other owners. Returns the rooms to close, none of an
 * owner who holds no more than that; null when there are not enough. As bytes are taken only from owners who hold more than the taker, they
 * can't be taken back in turn.
 */
export function whoGivesWay<R extends Held>(missingBytes: number, ownBytes: number, others: readonly Holder<R>[]): readonly R[] | null {
  const closing: R[] = [];
  const holders = others.map(({ bytes, rooms }) => ({ bytes, rooms, quietestLast: null as R[] | null }));
  for (let missing = missingBytes; missing > 0;) {
    const holder = holders.reduce<(typeof holders)[number] | null>(
      (most, one) => (one.bytes > (most?.bytes ?? ownBytes) ? one : most),
      null,
    );
    if (holder === null) return null;
    // Least recently written first.
    holder.quietestLast ??= [...holder.rooms].sort((one, other) => other.changedAtMs - one.changedAtMs);
    const room = holder.quietestLast.pop();
    if (room === undefined) {
      holder.bytes = 0;
      continue;
    }
    closing.push(room);
    holder.bytes -= room.bytes;
    missing -= room.bytes;
  }
  return closing;
}
