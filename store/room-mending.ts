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
  return { base: base && (partOf(base) ?? nothing), updates: updates.map(partOf).filter((part) => part !== null), dropped };
}

/** An update of no structs and no deletions. */
const nothing = Uint8Array.of(0, 0);

/** The same of frames, as a document is loaded; what needs no mending is given back as it is. */
export function mendedDocument(
  base: Uint8Array | null,
  tail: Uint8Array<ArrayBuffer>,
): { readonly base: Uint8Array | null; readonly tail: Uint8Array<ArrayBuffer> } {
  const mended = integrable(base, updatesIn(tail));
  if (mended.dropped === 0) return { base, tail };
  return { base: mended.base, tail: joined(mended.updates.map((update) => frameOf([messages.sync, syncs.update], update))) };
}
