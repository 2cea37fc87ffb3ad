import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { scanUpdate } from '../../schema/crdt/update.ts';
import { contentOf, editAtRandom, randomOf } from '../../schema/crdt/testing/random-edits.ts';
import { partsOf } from './parts.ts';
import { someQuick } from '../../test/support/share.ts';

/** Three people, out of step with each other; everything ends up in the first. */
function written(seed: number, edits: number): Y.Doc {
  const random = randomOf(seed);
  const docs = [1, 2, 3].map((client) => Object.assign(new Y.Doc(), { clientID: seed * 10 + client }));
  for (let n = 0; n < edits; n += 1) {
    const doc = docs[random(docs.length)]!;
    editAtRandom(doc, random);
    if (random(4) === 0) for (const other of docs) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
  }
  for (const other of docs) Y.applyUpdate(docs[0]!, Y.encodeStateAsUpdate(other));
  return docs[0]!;
}

/** Applied one after the other: nothing waits for a later one. */
function together(parts: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc();
  for (const part of parts) {
    expect(scanUpdate(part)).not.toBeNull();
    Y.applyUpdate(doc, part);
    expect(doc.store.pendingStructs).toBeNull();
  }
  expect(doc.store.pendingDs).toBeNull();
  return doc;
}

describe('a big update in parts', () => {
  test.for(someQuick(2, [1, 2, 3, 4, 5, 6]))(
    'seed %i: every part fits, stands on those before it, and together they are the whole',
    (seed) => {
      const doc = written(seed, 300);
      const update = Y.encodeStateAsUpdate(doc);
      const deletes = Y.diffUpdate(update, Y.encodeStateVector(doc)).length;
      const bytesMax = deletes + 400;
      const parts = partsOf(update, bytesMax);
      expect(parts.length).toBeGreaterThan(1);
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(bytesMax);
      expect(contentOf(together(parts))).toEqual(contentOf(doc));
    },
  );

  test('a paste of three megabytes, in the middle of a text and in characters of several bytes', () => {
    const doc = new Y.Doc();
    doc.getText('t').insert(0, 'começo fim');
    doc.getText('t').insert(7, 'ação 😀 '.repeat(250_000));
    const update = Y.encodeStateAsUpdate(doc);
    const parts = partsOf(update, 1_000_000);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(1_000_000);
    const copy = together(parts);
    expect(copy.getText('t').toJSON() === doc.getText('t').toJSON()).toBe(true);
    expect(Y.encodeStateVector(copy)).toEqual(Y.encodeStateVector(doc));
    // Whoever has the parts takes later changes of whoever has the whole.
    doc.getText('t').insert(100_000, 'x');
    doc.getText('t').delete(200_000, 50_000);
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc, Y.encodeStateVector(copy)));
    expect(copy.getText('t').toJSON() === doc.getText('t').toJSON()).toBe(true);
  });

  test('what fits, and what can’t be cut, stays as it is', () => {
    const doc = new Y.Doc();
    doc.getMap('m').set('bytes', new Uint8Array(5_000));
    const update = Y.encodeStateAsUpdate(doc);
    expect(partsOf(update, 10_000)).toEqual([update]);
    expect(partsOf(update, 1_000)).toEqual([update]);
    expect(partsOf(Uint8Array.of(9, 9, 9), 2)).toEqual([Uint8Array.of(9, 9, 9)]);
  });
});
