/**
 * The part of a stored document that can be integrated, in the stored order. Rooms of before accepted structs that depend on each other in
 * a circle: Yjs keeps such for ever, and merges all of them at each further one. They show nothing in any document, and are left out here
 * before one is built. Decision: docs/decisions/0376-structs-have-an-order.md
 */
import { fittingPart, judge, knowsNothing, learn, scanUpdate } from '../schema/crdt/update.ts';
import { frameOf, messages, syncs, updatesIn } from '../schema/room-frames.ts';
import { joined } from './room-log-database.ts';

export interface Integrable {
  readonly base: Uint8Array | null;
  readonly updates: readonly Uint8Array[];
  /** Updates, the base among them, that lost something. */
  readonly dropped: number;
}

/** Drops structs that can never be integrated. An unreadable update is left as it is: building the document reports it. */
export function integrable(base: Uint8Array | null, updates: readonly Uint8Array[]): Integrable {
  const mend = mender();
  const fit = { base: mend.base(base), updates: mend.updates(updates) };
  return { ...fit, dropped: mend.dropped() };
}

/** Mends the parts of one document, which come in the stored order. */
function mender() {
  const known = knowsNothing();
  let dropped = 0;
  const partOf = (update: Uint8Array): Uint8Array | null => {
    const scan = scanUpdate(update, known.vector, null, false);
    if (!scan) return update;
    const { kind } = judge(known, scan);
    if (kind === 'new' || kind === 'known') {
      learn(known, scan);
      return update;
    }
    dropped += 1;
    const part = fittingPart(known, update, false);
    const fit = part && scanUpdate(part, known.vector, null, false);
    if (fit) learn(known, fit);
    return part;
  };
  return {
    base: (base: Uint8Array | null): Uint8Array | null => base && (partOf(base) ?? nothing),
    updates: (updates: readonly Uint8Array[]): readonly Uint8Array[] => updates.map(partOf).filter((part) => part !== null),
    dropped: () => dropped,
  };
}

/** An update of no structs and no deletions. */
const nothing = Uint8Array.of(0, 0);

export interface MendedRows {
  readonly base: Uint8Array | null;
  /** Frames of updates. */
  readonly rows: readonly Uint8Array[];
  readonly dropped: number;
}

/** The same of rows of frames, which stay as many; what needs no mending is given back as it is. */
export function mendedRows(base: Uint8Array | null, rows: readonly Uint8Array[]): MendedRows {
  const mend = mender();
  const mendedBase = mend.base(base);
  const fit = rows.map((row) => mend.updates(updatesIn(row)));
  const dropped = mend.dropped();
  if (dropped === 0) return { base, rows, dropped };
  return { base: mendedBase, rows: fit.map(framesOf), dropped };
}

const framesOf = (updates: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  joined(updates.map((update) => frameOf([messages.sync, syncs.update], update)));
