/**
 * Compaction: builds a document from its base and its updates, in one outer transaction (100,000 updates: 180 ms; merging them flat takes
 * minutes). Runs in a separate thread. Decision: docs/decisions/0090-rooms-are-logs.md
 */
import * as Y from 'yjs';
import { joinTypedRuns } from '../schema/crdt/update.ts';
import type { Integrable } from './room-mending.ts';

export interface Compaction {
  readonly state: Uint8Array<ArrayBuffer>;
  /** Updates that can't be applied to any document, as a whole or in part. */
  readonly dropped: number;
}

const poisonMax = 100;

/** Throws when the base itself can't be applied, or almost nothing can. */
export function compactUpdates({ base, updates, dropped: mended }: Integrable): Compaction {
  const before = base === null ? [] : [base];
  try {
    return { state: encoded(documentOf([...before, ...joinTypedRuns(updates)])), dropped: mended };
  } catch {
    // Rare: find out which.
  }
  const good: Uint8Array[] = [...before];
  let dropped = mended;
  let doc = documentOf(good);
  for (const update of updates) {
    try {
      Y.applyUpdate(doc, update);
      good.push(update);
    } catch (error) {
      dropped += 1;
      if (dropped - mended > poisonMax) throw error;
      // It may have been applied in part.
      doc = documentOf(good);
    }
  }
  return { state: encoded(doc), dropped };
}

export function documentOf(updates: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc();
  doc.transact(() => {
    for (const update of updates) Y.applyUpdate(doc, update);
  });
  return doc;
}

function encoded(doc: Y.Doc): Uint8Array<ArrayBuffer> {
  const state = Y.encodeStateAsUpdate(doc);
  doc.destroy();
  // Encoders return a view of something larger.
  return new Uint8Array(state);
}

const address = /[0-9a-f]{64}/g;

/**
 * Addresses that look like attachments, in the shown contents of the document and, for good measure, in the bytes as they are kept: an
 * address too many keeps a file, one too few would lose it. `withDeleted`: also in what was deleted and is still there.
 */
export function addressesIn(doc: Y.Doc, bytes: readonly Uint8Array[], withDeleted = false): ReadonlySet<string> {
  const found = new Set<string>();
  const search = (text: string): void => {
    for (const [one] of text.matchAll(address)) found.add(one);
  };
  for (const part of bytes) search(Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1'));
  const parents = new Set<Y.AbstractType<unknown>>();
  for (const structs of doc.store.clients.values()) {
    for (const struct of structs) {
      if (!(struct instanceof Y.Item) || (struct.deleted && !withDeleted)) continue;
      if (struct.parent instanceof Y.AbstractType) parents.add(struct.parent as Y.AbstractType<unknown>);
      if (!(struct.content instanceof Y.ContentString)) search(shown(struct));
      else if (withDeleted) search(struct.content.str);
    }
  }
  for (const parent of parents) for (const text of new Set([textOf(parent, false), textOf(parent, withDeleted)])) search(text);
  return found;
}

function shown({ content }: Y.Item): string {
  if (content instanceof Y.ContentFormat) return JSON.stringify(content.value, withoutBigInt) ?? '';
  if (content instanceof Y.ContentType || content instanceof Y.ContentDoc) return '';
  return JSON.stringify(content.getContent(), withoutBigInt) ?? '';
}

/** JSON has no such numbers, and an address is none. */
const withoutBigInt = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? 0 : value);

/** Strings that stand next to each other may be kept in pieces. */
function textOf(type: Y.AbstractType<unknown>, withDeleted: boolean): string {
  const pieces: string[] = [];
  // oxlint-disable-next-line no-underscore-dangle -- Yjs has no other way to its items
  for (let item = type._start; item; item = item.right) {
    if ((!item.deleted || withDeleted) && item.content instanceof Y.ContentString) pieces.push(item.content.str);
  }
  return pieces.join('');
}
