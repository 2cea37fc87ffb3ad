/** Updates that the judge takes leave nothing pending in any document of Yjs itself. */
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { someQuick } from '../../test/support/share.ts';
import { tellCount } from '../../test/support/counts.ts';
import { encodeUints } from '../varuint.ts';
import { fittingPart, newPart } from './fitting.ts';
import { decodeVector, encodeVector, judge, knowsNothing, learn, type Knowledge } from './knowledge.ts';
import { scanUpdate } from './scan.ts';
import { randomOf } from './testing/random-edits.ts';
import { wildUpdate } from './testing/wild-updates.ts';

const long = process.env['SVC_TEST_LONG'] === '1';

/** Sections of client, first clock and structs, in the order that writers have: the greatest client first. */
const updateOf = (...sections: readonly (readonly [client: number, clock: number, ...structs: (readonly number[])[]])[]): Uint8Array =>
  Uint8Array.from([
    sections.length,
    ...sections.flatMap(([client, clock, ...structs]) => Array.from(encodeUints([structs.length, client, clock])).concat(structs.flat())),
    0,
  ]);
/** Builds a struct of one letter after the given struct. */
const after = (client: number, clock: number): readonly number[] => [0x84, client, clock, 1, 120];
const first: readonly number[] = [4, 1, 1, 97, 1, 120];

const verdict = (update: Uint8Array, known: Knowledge = knowsNothing()) => judge(known, scanUpdate(update, known.vector)!);
const partOf = (update: Uint8Array): string | null => {
  const part = fittingPart(knowsNothing(), update);
  return (
    part &&
    Y.decodeUpdate(part)
      .structs.map(({ id }) => `${id.client}:${id.clock}`)
      .join(' ')
  );
};

describe('structs of one update', () => {
  test.for([
    ['two that stand on each other', updateOf([2, 0, after(1, 0)], [1, 0, after(2, 0)]), null],
    ['a circle of three', updateOf([3, 0, after(2, 0)], [2, 0, after(1, 0)], [1, 0, after(3, 0)]), null],
    ['a circle by way of the clocks of a client', updateOf([2, 0, after(1, 1)], [1, 0, after(2, 0), first]), null],
    ['what stands on a circle', updateOf([3, 0, after(1, 0)], [2, 0, after(1, 0)], [1, 0, after(2, 0)]), null],
    ['a circle behind others', updateOf([2, 0, first, after(1, 1)], [1, 0, first, after(2, 1)]), '2:0 1:0'],
    ['types that hold each other', updateOf([2, 0, [7, 0, 1, 0, 1]], [1, 0, [7, 0, 2, 0, 1]]), null],
  ] as const)('%s are never taken', ([, update, part]) => {
    expect([verdict(update).kind, partOf(update)]).toEqual(['circular', part]);
  });

  test('a circle that also waits for what is elsewhere is early, and circular once that is here', () => {
    const update = updateOf([3, 0, after(9, 0)], [2, 0, after(1, 0)], [1, 0, after(2, 0)]);
    expect(verdict(update)).toEqual({ kind: 'early', client: 9, clock: 0 });
    const known = knowsNothing();
    learn(known, scanUpdate(updateOf([9, 0, first]), known.vector)!);
    expect(verdict(update, known)).toEqual({ kind: 'circular' });
  });

  test.for([
    ['in the order of the update', updateOf([2, 0, first], [1, 0, after(2, 0)])],
    ['against it', updateOf([2, 0, after(1, 0)], [1, 0, first])],
    ['to and fro', updateOf([2, 0, after(1, 0), after(1, 1)], [1, 0, first, after(2, 0), after(2, 1)])],
  ] as const)('that stand on each other %s are taken', ([, update]) => {
    expect(verdict(update)).toEqual({ kind: 'new' });
  });

  test('to and fro 60,000 times is read at once, and cut out whole', () => {
    const turns = 30_000;
    const zigzag = (other: number, from: number): readonly number[] =>
      Array.from({ length: turns }, (_, n) => (n < from ? first : [0x84, other, ...encodeUints([n - from]), 1, 120])).flat();
    const update = Uint8Array.from([2, ...encodeUints([turns, 2, 0]), ...zigzag(1, 0), ...encodeUints([turns, 1, 0]), ...zigzag(2, 1), 0]);
    expect(verdict(update)).toEqual({ kind: 'new' });
    expect(fittingPart(knowsNothing(), update)).toHaveLength(update.length);
  });
});

/** False: Yjs threw. A struct between two lists tangles them, and no document goes on from there. */
function applies(doc: Y.Doc, update: Uint8Array): boolean {
  try {
    Y.applyUpdate(doc, update);
    return true;
  } catch {
    return false;
  }
}

/** The updates that a room takes out of 20 wild ones, and a document that took each as it came. */
function wildRoom(random: (below: number) => number) {
  const known = knowsNothing();
  const log: Uint8Array[] = [];
  const there = new Y.Doc();
  for (let n = 0; n < 20; n += 1) {
    const update = wildUpdate(random, known.vector);
    const scan = scanUpdate(update, known.vector);
    const part = !scan ? null : judge(known, scan).kind === 'new' ? update : fittingPart(known, update);
    if (!part) continue;
    const fit = scanUpdate(part, known.vector)!;
    expect(['new', 'known'], `update ${n}`).toContain(judge(known, fit).kind);
    const whole = newPart(known, part, fit);
    if (!applies(there, whole)) break;
    learn(known, scanUpdate(whole, known.vector)!);
    log.push(whole);
    expect([there.store.pendingStructs, there.store.pendingDs], `update ${n}`).toEqual([null, null]);
  }
  return { known, log };
}

test.for(long ? Array.from({ length: 100 }, (_, n) => n + 1) : someQuick(1, [3, 21, 45]))(
  'seed %i: of wild updates what the judge takes leaves nothing waiting, in the document that is there and in one that begins',
  (seed) => {
    const random = randomOf(seed);
    let taken = 0;
    for (let round = 0; round < 50; round += 1) {
      const { known, log } = wildRoom(random);
      taken += log.length;
      const begins = new Y.Doc();
      begins.transact(() => log.forEach((update) => Y.applyUpdate(begins, update)));
      const state = new Y.Doc();
      Y.applyUpdate(state, Y.encodeStateAsUpdate(begins));
      for (const doc of [begins, state]) {
        expect([doc.store.pendingStructs, doc.store.pendingDs], `round ${round}`).toEqual([null, null]);
        expect(decodeVector(Y.encodeStateVector(doc), 100), `round ${round}`).toEqual(decodeVector(encodeVector(known), 100));
      }
    }
    tellCount(`order of structs: 1000 wild updates, ${taken} taken (seed ${seed})`);
    expect(taken).toBeGreaterThan(100);
  },
);
