/** A document as it was in one of its versions, and the edit that brings it back. Runs in the thread that compacts. */
import * as Y from 'yjs';
import { SvcError } from '../../schema/errors.ts';
import { updatesIn } from '../../schema/room-frames.ts';
import type { VersionForm } from '../../schema/rooms.ts';
import { limits } from '../limits.ts';
import { mendedRows } from '../room-mending.ts';
import { applyPieces, documentOfPieces, unlessUnreadable } from './pieces.ts';
import { written } from './forms.ts';

/** Everything that is kept of a document. */
export interface WholeHistory {
  readonly base: Uint8Array | null;
  readonly baseSeq: number;
  /** Frames of the rows behind the base. */
  readonly rows: readonly Uint8Array[];
  readonly pieces: readonly { readonly seq: number; readonly piece: Uint8Array }[];
}

/** Parts of a history, in the order in which they are applied. */
interface Parts {
  readonly pieces: readonly Uint8Array[];
  readonly updates: readonly Uint8Array[];
}

/** Parts before a version, and what says those after it; null: there is no such version (any more). */
function partsAt(history: WholeHistory, seq: number): { readonly before: Parts; readonly after: () => Parts } | null {
  const { baseSeq, pieces } = history;
  const mended = (): { readonly bases: readonly Uint8Array[]; readonly updates: readonly (readonly Uint8Array[])[] } => {
    const { base, rows } = mendedRows(history.base, history.rows);
    return { bases: base === null ? [] : [base], updates: rows.map(updatesIn) };
  };
  const at = pieces.findIndex((piece) => piece.seq === seq);
  if (at !== -1) {
    const bytes = pieces.map(({ piece }) => piece);
    const isWhole = pieces.at(-1)!.seq >= baseSeq;
    const after = (): Parts => {
      const { bases, updates } = mended();
      return { pieces: bytes.slice(at + 1), updates: [...(isWhole ? [] : bases), ...updates.flat()] };
    };
    return { before: { pieces: bytes.slice(0, at + 1), updates: [] }, after };
  }
  if (seq === 0 || seq < baseSeq || seq > baseSeq + history.rows.length) return null;
  const { bases, updates } = mended();
  const rowsBefore = seq - baseSeq;
  return {
    before: { pieces: [], updates: [...bases, ...updates.slice(0, rowsBefore).flat()] },
    after: () => ({ pieces: [], updates: updates.slice(rowsBefore).flat() }),
  };
}

export function versionIn(history: WholeHistory, seq: number, form: VersionForm): Uint8Array<ArrayBuffer> | null {
  const parts = partsAt(history, seq);
  if (parts === null) return null;
  const doc = documentOfPieces(parts.before.pieces, parts.before.updates);
  try {
    return new Uint8Array(form === 'yjs' ? Y.encodeStateAsUpdate(doc) : bounded(Buffer.from(written(doc, form)), form));
  } finally {
    doc.destroy();
  }
}

function bounded(bytes: Uint8Array, form: VersionForm): Uint8Array {
  const most = limits.roomVersionBytesMax;
  if (bytes.length > most) throw new SvcError('TOO_LARGE', `this version has more than ${most} bytes as ${form}: ask for yjs`);
  return bytes;
}

/** An update after which the document says what it said then; null: there is no such version. */
export function revertTo(history: WholeHistory, seq: number): Uint8Array<ArrayBuffer> | null {
  const parts = partsAt(history, seq);
  if (parts === null) return null;
  const doc = documentOfPieces(parts.before.pieces, parts.before.updates);
  try {
    // Whatever came since is one step, which is undone.
    const undo = new Y.UndoManager(doc, { trackedOrigins: new Set([since]), captureTimeout: 0 });
    const after = parts.after();
    unlessUnreadable(after.updates, (readable) => doc.transact(() => applyPieces(doc, after.pieces, readable), since));
    const now = Y.encodeStateVector(doc);
    undo.undo();
    return new Uint8Array(Y.encodeStateAsUpdate(doc, now));
  } finally {
    doc.destroy();
  }
}

const since = { is: 'what came since' };
