/**
 * The yjs functions that y-protocols needs, taken from the copy that the app itself brought: a second copy in a page breaks both. In the
 * bundles of the SDK this file stands in the place of `yjs` (setup/room-bundle.ts). Decision: docs/decisions/0102-rooms-in-the-page.md
 */
import type { Doc, Yjs } from './libraries.ts';

const copies = new WeakMap<Doc, Yjs>();

/** From now on `doc` is worked on with this copy, which made it. */
export const workWith = (Y: Yjs, doc: Doc): void => void copies.set(doc, Y);

const copyOf = (doc: Doc): Yjs => {
  const copy = copies.get(doc);
  if (copy === undefined) throw new Error('a document of no room');
  return copy;
};

export const applyUpdate = (doc: Doc, update: Uint8Array, origin: unknown): void => copyOf(doc).applyUpdate(doc, update, origin);
export const encodeStateAsUpdate = (doc: Doc, stateVector: Uint8Array): Uint8Array => copyOf(doc).encodeStateAsUpdate(doc, stateVector);
export const encodeStateVector = (doc: Doc): Uint8Array => copyOf(doc).encodeStateVector(doc);
