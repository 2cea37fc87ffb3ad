import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { contentOf, editAtRandom, randomOf } from './testing/random-edits.ts';
import { joinTypedRuns } from './typed-runs.ts';
import { someQuick } from '../../test/support/share.ts';

/** The updates of what `act` does, one for each transaction. */
function updatesOf(act: (doc: Y.Doc) => void): Uint8Array[] {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  act(doc);
  return updates;
}

const typed = (doc: Y.Doc, at: number, letters: string): void => {
  let place = at;
  for (const letter of Array.from(letters)) {
    doc.getText('text').insert(place, letter);
    place += letter.length;
  }
};

function made(updates: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc();
  for (const update of updates) Y.applyUpdate(doc, update);
  return doc;
}

const stateOf = (updates: readonly Uint8Array[]): string => Buffer.from(Y.encodeStateAsUpdate(made(updates))).toString('hex');

describe('letters typed one after the other', () => {
  test('at the end become one update behind the first', () => {
    const updates = updatesOf((doc) => typed(doc, 0, 'hello'));
    const joined = joinTypedRuns(updates);
    expect(joined).toHaveLength(2);
    expect(joined[0]).toBe(updates[0]);
    expect(made(joined).getText('text').toJSON()).toBe('hello');
    expect(stateOf(joined)).toBe(stateOf(updates));
  });

  test('in the middle of a text, in any script, become one', () => {
    const updates = updatesOf((doc) => {
      doc.getText('text').insert(0, 'ab');
      typed(doc, 1, 'ção😀漢z');
    });
    const joined = joinTypedRuns(updates);
    expect(joined).toHaveLength(2);
    expect(made(joined).getText('text').toJSON()).toBe('ação😀漢zb');
    expect(stateOf(joined)).toBe(stateOf(updates));
  });

  test('a jump, a deletion and another hand end a run', () => {
    const updates = updatesOf((doc) => {
      typed(doc, 0, 'abcd');
      typed(doc, 2, 'xyz');
      doc.getText('text').delete(0, 1);
      typed(doc, 1, 'pq');
    });
    // a · bcd · xyz · the deletion · pq
    expect(joinTypedRuns(updates)).toHaveLength(5);
    expect(stateOf(joinTypedRuns(updates))).toBe(stateOf(updates));
    const [mine, theirs] = [updatesOf((doc) => typed(doc, 0, 'abc')), updatesOf((doc) => typed(doc, 0, 'def'))] as const;
    const mixed = mine.flatMap((update, n) => [update, theirs[n]!]);
    expect(joinTypedRuns(mixed)).toEqual(mixed);
  });

  test('who wrote between the letters at the same time stands where they stood', () => {
    const ana = new Y.Doc();
    const bia = new Y.Doc();
    const log: Uint8Array[] = [];
    for (const doc of [ana, bia]) doc.on('update', (update: Uint8Array, origin: unknown) => void (origin === 'log' || log.push(update)));
    typed(ana, 0, 'abc');
    Y.applyUpdate(bia, Y.encodeStateAsUpdate(ana), 'log');
    typed(ana, 3, 'defgh');
    typed(bia, 3, 'DEFGH');
    typed(bia, 1, 'xyz');
    expect(stateOf(joinTypedRuns(log))).toBe(stateOf(log));
    expect(joinTypedRuns(log).length).toBeLessThan(8);
  });

  test('whatever three people do, the document is the same, from the log in one piece or in two', () => {
    const seeds = Array.from({ length: 15 }, (_, n) => n + 1);
    for (const seed of someQuick(4, seeds)) {
      const random = randomOf(seed);
      const docs = [0, 1, 2].map((n) => Object.assign(new Y.Doc(), { clientID: 100 + 1_000_000_000 * n }));
      const log: Uint8Array[] = [];
      for (const doc of docs) doc.on('update', (update: Uint8Array, origin: unknown) => void (origin === 'log' || log.push(update)));
      for (let step = 0; step < 50; step += 1) {
        const doc = docs[random(3)]!;
        if (random(3) === 0) editAtRandom(doc, random);
        else typed(doc, random(doc.getText('text').length + 1), 'typing'.slice(0, 1 + random(6)));
        if (random(4) === 0) for (const update of log) Y.applyUpdate(docs[random(3)]!, update, 'log');
      }
      const cut = random(log.length);
      const joined = joinTypedRuns(log);
      expect(joined.length, `seed ${seed}`).toBeLessThan(log.length);
      expect(contentOf(made(joined)), `seed ${seed}`).toBe(contentOf(made(log)));
      expect(stateOf([...log.slice(0, cut), ...joinTypedRuns(log.slice(cut))]), `seed ${seed}`).toBe(stateOf(log));
    }
  });
});
