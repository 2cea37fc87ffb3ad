import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { frameOf, messages, syncs } from '../schema/room-frames.ts';
import { wideUpdate } from '../schema/crdt/testing/wild-updates.ts';
import { costOf } from './room-cost.ts';

const framed = (...updates: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(updates.map((update) => frameOf([messages.sync, syncs.update], update))));
const text = (client: number, words: string): Uint8Array => {
  const doc = Object.assign(new Y.Doc(), { clientID: client });
  doc.getText('t').insert(0, words);
  return Y.encodeStateAsUpdate(doc);
};
/** No update. */
const broken = Uint8Array.of(9, 9);

describe('what an update costs', () => {
  test('is told apart from what came since', () => {
    const none = { base: text(1, 'base'), before: framed(text(2, 'before')), since: framed(text(3, 'since')), update: text(4, 'update') };
    const wide = costOf({ ...none, update: wideUpdate(2_500) });
    const before = costOf({ ...none, since: framed(wideUpdate(2_500)) });
    expect(wide.updateMs).toBeGreaterThan(wide.sinceMs);
    expect(before.sinceMs).toBeGreaterThan(before.updateMs);
  });

  test.for([1, 40])('types %i deep', (depth) => {
    const doc = new Y.Doc();
    let map = doc.getMap<unknown>('m');
    for (let n = 0; n < depth; n += 1) {
      const inner = new Y.Map<unknown>();
      map.set('k', inner);
      map = inner;
    }
    const empty = { base: null, before: new Uint8Array(), since: new Uint8Array() };
    expect(costOf({ ...empty, update: Y.encodeStateAsUpdate(doc) }).depth).toBe(depth);
  });

  test('what no document takes makes nobody else costly', () => {
    for (const place of ['before', 'since'] as const) {
      const request = { base: null, before: new Uint8Array(), since: new Uint8Array(), [place]: framed(broken) };
      expect(() => costOf({ ...request, update: text(4, 'update') })).not.toThrow();
    }
  });
});
