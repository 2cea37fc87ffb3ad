/**
 * A person types: letters one by one, a fifth taken back in runs, now and then a jump to another place. Seeded: every run types the same.
 * 100,000 edits make about 55,000 letters in 7,800 structs and 134 KB. The client id is small so that a 100 KB document has the 6,000 structs
 * that a real one of that size has (ids of five bytes would fill it with 4,000).
 */
import * as Y from 'yjs';
import { createRandom } from '../../test/simulation/random.ts';

export interface Trace {
  /** An update (V1) per edit. */
  readonly updates: readonly Uint8Array[];
  /** The whole as Yjs encodes it. */
  readonly state: Uint8Array;
  readonly text: string;
}

/** Ends after `editsMax` edits, or as soon as the encoded state has `bytesMin`. */
export function typeTrace({ editsMax, bytesMin = Number.POSITIVE_INFINITY }: { editsMax: number; bytesMin?: number }): Trace {
  const { next: random } = createRandom(20_261_122);
  const doc = new Y.Doc();
  doc.clientID = 1;
  const text = doc.getText('t');
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  let cursor = 0;
  let takeBack = 0;
  for (let edit = 0; edit < editsMax; edit += 1) {
    if (takeBack === 0 && random() < 1 / 28) cursor = Math.floor(random() * (text.length + 1));
    if (takeBack === 0 && random() < 1 / 45) takeBack = 1 + Math.floor(random() * 24);
    if (takeBack > 0 && cursor > 0) {
      takeBack -= 1;
      cursor -= 1;
      text.delete(cursor, 1);
    } else {
      takeBack = 0;
      text.insert(cursor, String.fromCharCode(97 + Math.floor(random() * 26)));
      cursor += 1;
    }
    if (edit % 1_000 === 999 && Y.encodeStateAsUpdate(doc).length >= bytesMin) break;
  }
  const trace = { updates, state: Y.encodeStateAsUpdate(doc), text: text.toJSON() };
  doc.destroy();
  return trace;
}

/** The text of a document made of these updates. */
export const textOf = (updates: readonly Uint8Array[]): string => documentOf(updates).text;

/** And its state vector. */
export function documentOf(updates: readonly Uint8Array[]): { readonly text: string; readonly vector: Uint8Array } {
  const doc = new Y.Doc();
  doc.transact(() => {
    for (const update of updates) Y.applyUpdate(doc, update);
  });
  const text = doc.getText('t').toJSON();
  const vector = Y.encodeStateVector(doc);
  doc.destroy();
  return { text, vector };
}
