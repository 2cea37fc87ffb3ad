/** Pieces of a document's history: updates of many rows as one, small; and documents made of them. Runs in the thread that compacts. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as Y from 'yjs';
import { joinTypedRuns } from '../../schema/crdt/update.ts';
import { limits } from '../limits.ts';

/** Inflated bytes that a compaction may still take: a piece of a few kilobytes may hold many megabytes. */
export interface OpenBudget {
  leftBytes: number;
}

/** Null: they are more than the budget has left, which is used up then. */
function opened(pieces: readonly Uint8Array[], budget: OpenBudget): readonly Uint8Array[] | null {
  const found: Uint8Array[] = [];
  for (const piece of pieces) {
    let bytes: Uint8Array;
    try {
      bytes = inflateRawSync(piece, { maxOutputLength: Math.max(budget.leftBytes, 1) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      budget.leftBytes = 0;
      return null;
    }
    budget.leftBytes -= bytes.length;
    found.push(bytes);
  }
  return found;
}

/** Updates of the first format that stand behind pieces, as one piece; null: the pieces are over the budget. */
export function pieceOf(pieces: readonly Uint8Array[], updates: readonly Uint8Array[], budget: OpenBudget): Uint8Array<ArrayBuffer> | null {
  const before = opened(pieces, budget);
  if (before === null) return null;
  return unlessUnreadable(updates, (readable) => {
    // Converting all at once takes a tenth of the time.
    const young = readable.length === 0 ? [] : [Y.convertUpdateFormatV1ToV2(merged(joinTypedRuns(readable), Y.mergeUpdates))];
    return deflated(merged([...before, ...young], Y.mergeUpdatesV2));
  });
}

/** Updates that no document takes are left out. They are rare, so they are looked for when something failed only. */
export function unlessUnreadable<Result>(updates: readonly Uint8Array[], act: (updates: readonly Uint8Array[]) => Result): Result {
  try {
    return act(updates);
  } catch (error) {
    const readable = updates.filter(isReadable);
    if (readable.length === updates.length) throw error;
    return act(readable);
  }
}

function isReadable(update: Uint8Array): boolean {
  try {
    Y.decodeUpdate(update);
    return true;
  } catch {
    return false;
  }
}

/** The document that pieces led to, without what was deleted in it; null: the pieces are over the budget. */
export function foldedPiece(
  pieces: readonly Uint8Array[],
  updates: readonly Uint8Array[],
  budget: OpenBudget,
): Uint8Array<ArrayBuffer> | null {
  if (opened(pieces, budget) === null) return null;
  const doc = documentOfPieces(pieces, updates);
  try {
    return deflated(Y.encodeStateAsUpdateV2(doc));
  } finally {
    doc.destroy();
  }
}

/** The caller destroys it. A step for each piece: what one of them deletes takes no memory while the next is applied. */
export const documentOfPieces = (pieces: readonly Uint8Array[], updates: readonly Uint8Array[]): Y.Doc =>
  unlessUnreadable(updates, (readable) => {
    const doc = new Y.Doc();
    for (const piece of pieces) applyPieces(doc, [piece], []);
    doc.transact(() => applyPieces(doc, [], readable));
    return doc;
  });

/** With everything that was deleted since, as far as pieces hold it. */
export function documentWithDeleted(pieces: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc({ gc: false });
  doc.transact(() => applyPieces(doc, pieces, []));
  return doc;
}

export function applyPieces(doc: Y.Doc, pieces: readonly Uint8Array[], updates: readonly Uint8Array[]): void {
  for (const piece of pieces) Y.applyUpdateV2(doc, inflated(piece));
  for (const update of joinTypedRuns(updates)) Y.applyUpdate(doc, update);
}

/** Merging many at once takes as long as their number squared. */
function merged(updates: readonly Uint8Array[], merge: (updates: Uint8Array[]) => Uint8Array): Uint8Array {
  if (updates.length === 0) return nothing;
  let left = updates;
  while (left.length > 1) {
    const next: Uint8Array[] = [];
    for (let at = 0; at < left.length; at += mergedAtOnce) next.push(merge(left.slice(at, at + mergedAtOnce)));
    left = next;
  }
  return left[0]!;
}

const mergedAtOnce = 128;

const nothing = Y.encodeStateAsUpdateV2(new Y.Doc());

const deflated = (update: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(deflateRawSync(update));

const inflated = (piece: Uint8Array): Uint8Array => inflateRawSync(piece, { maxOutputLength: limits.roomPieceOpenBytesMax });
