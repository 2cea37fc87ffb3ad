/** Rows of one version, how long versions are kept, and documents of random edits in each of their versions. */
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { contentOf, editAtRandom, randomOf } from '../../schema/crdt/testing/random-edits.ts';
import { updatesIn } from '../../schema/room-frames.ts';
import { amount } from '../../test/support/amount.ts';
import { framed } from '../room-log-contract.ts';
import { limits } from '../limits.ts';
import { carryOut, planHistory, type Written } from './rewrite.ts';
import { pieceOf } from './pieces.ts';
import { type Piece, type Span, thinned, versionsOf } from './spans.ts';
import { revertTo, versionIn, type WholeHistory } from './view.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const now = Date.UTC(2026, 5, 15, 12);
const span = (seq: number, atMs: number, ...who: readonly string[]): Span => ({ seq, sinceMs: atMs, untilMs: atMs, who });

test('what is written without a pause is one version, by all who wrote it; a name ends one, and so does a quarter of an hour', () => {
  const at = (minutes: number): number => now + minutes * minute;
  const spans = [span(1, at(0), 'bia'), span(2, at(4), 'ana'), span(3, at(10), 'ana'), span(4, at(11), 'ana'), span(5, at(12), 'caio')];
  expect(versionsOf(spans, new Map([[4, 'enviada']]))).toEqual([
    { seq: 2, sinceMs: at(0), untilMs: at(4), who: ['ana', 'bia'], name: null },
    { seq: 4, sinceMs: at(10), untilMs: at(11), who: ['ana'], name: 'enviada' },
    { seq: 5, sinceMs: at(12), untilMs: at(12), who: ['caio'], name: null },
  ]);
  const long = Array.from({ length: 16 }, (_, n) => span(n + 1, at(4 * n), 'ana'));
  expect(versionsOf(long, new Map()).map(({ seq }) => seq)).toEqual([4, 8, 12, 16]);
});

test('all of a day is kept, then one an hour, after a month one a day, after the days of the rule nothing but the document', () => {
  const spans = [
    ...[500, 400].map((days, n) => span(n + 1, now - days * day)),
    ...[50, 39.9, 39.8].map((days, n) => span(n + 3, now - days * day)),
    ...[3, 2, 1].map((hours, n) => span(n + 6, now - 10 * day - hours * 7 * minute)),
    ...[40, 20, 1].map((minutes, n) => span(n + 9, now - minutes * minute)),
  ];
  const kept = (names: readonly number[] = []): readonly (readonly number[])[] => {
    const named = new Map(names.map((seq) => [seq, 'n']));
    const { groups, forgotten } = thinned(spans, { names: named, days: 365, nowMs: now, bytesOf: () => 1 });
    return [[forgotten], ...groups.map((group) => group.map(({ seq }) => seq))];
  };
  expect(kept()).toEqual([[2], [1, 2], [3], [4, 5], [6, 7, 8], [9], [10], [11]]);
  expect(kept([2, 7])).toEqual([[1], [1], [2], [3], [4, 5], [6, 7], [8], [9], [10], [11]]);
});

test('the oldest versions are forgotten over the bounds of a document, also those with names', () => {
  const spans = Array.from({ length: limits.roomPiecesMax + 5 }, (_, n) => span(n + 1, now - (limits.roomPiecesMax - n) * 10 * minute));
  const { groups, forgotten } = thinned(spans.slice(-100), {
    names: new Map([[limits.roomPiecesMax - 90, 'n']]),
    days: 3_650,
    nowMs: now,
    bytesOf: () => limits.roomHistoryBytesMax / 10,
  });
  expect([forgotten, groups.length]).toEqual([90, 11]);
  expect(thinned(spans, { names: new Map(spans.map(({ seq }) => [seq, 'n'])), days: 3_650, nowMs: now, bytesOf: () => 0 }).forgotten).toBe(
    5,
  );
});

/** A document of random edits in rows, compacted now and then, with what it said after each row. */
function grown(seed: number): { readonly history: WholeHistory; readonly said: readonly string[]; readonly pieces: readonly Piece[] } {
  const random = randomOf(seed);
  const docs = [1, 2, 3].map((n) => Object.assign(new Y.Doc(), { clientID: seed * 10 + n }));
  const whole = new Y.Doc();
  let [base, baseSeq]: [Uint8Array | null, number] = [null, 0];
  let rows: Uint8Array[] = [];
  let written: Written[] = [];
  let pieces: Piece[] = [];
  const said = [''];
  for (let n = 1; n <= 40; n += 1) {
    const doc = docs[random(docs.length)]!;
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(whole));
    const updates: Uint8Array[] = [];
    const note = (update: Uint8Array): void => void updates.push(update);
    doc.on('update', note);
    for (let k = 0; k < 3; k += 1) editAtRandom(doc, random);
    doc.off('update', note);
    for (const update of updates) Y.applyUpdate(whole, update);
    rows.push(framed(updates));
    written.push({ atMs: now - 20 * day + n * 7 * minute, who: ' ana ' });
    said.push(contentOf(whole));
    if (random(5) > 0) continue;
    const sizes = pieces.map(({ piece, ...kept }) => ({ ...kept, bytes: piece.length }));
    const plan = planHistory({ baseSeq, written, pieces: sizes, names: new Map([[7, 'sete']]) }, { days: 365, nowMs: now });
    const change = carryOut(plan, { base, rows, piece: (seq) => pieces.find((one) => one.seq === seq)!.piece });
    pieces = [...pieces.filter(({ seq }) => !change.drop.includes(seq)), ...change.puts].toSorted((a, b) => a.seq - b.seq);
    const doneWith = new Y.Doc();
    for (const update of [...(base === null ? [] : [base]), ...rows.flatMap(updatesIn)]) Y.applyUpdate(doneWith, update);
    [base, baseSeq, rows, written] = [Y.encodeStateAsUpdate(doneWith), n, [], []];
  }
  return { history: { base, baseSeq, rows, pieces }, said, pieces };
}

test(
  'pieces that are small but large when they are inflated are not merged, and all are forgotten rather than read to forget some',
  { tags: ['costly'] },
  () => {
    const piece = new Uint8Array(deflateRawSync(new Uint8Array(limits.roomMergedBytesMax * 0.6)));
    const pieces = [1, 2].map((seq): Piece => ({
      seq,
      sinceMs: now - (4 - seq) * minute,
      untilMs: now - (4 - seq) * minute,
      who: [],
      piece,
    }));
    const changed = (nowMs: number, isApart = false): unknown => {
      const sizes = pieces.map(({ seq, sinceMs, untilMs, who }) => ({ seq, sinceMs, untilMs, who, bytes: piece.length }));
      const plan = planHistory(
        { baseSeq: 2, written: [{ atMs: nowMs, who: '' }], pieces: sizes, names: new Map() },
        { days: 9, nowMs, isApart },
      );
      const { drop, puts } = carryOut(plan, { base: null, rows: [framed([])], piece: () => piece });
      return [drop, puts.map(({ seq, sinceMs }) => [seq, sinceMs])];
    };
    expect(changed(now + 2 * day)).toEqual([[], [[3, now + 2 * day]]]);
    expect(changed(now + 20 * day)).toEqual([[1, 2], []]);
    expect(changed(now + 20 * day, true)).toEqual([[], [[3, now + 20 * day]]]);
  },
);

test('what a portal of before compacted, of which no piece was made, goes when a version of before it is brought back', () => {
  const doc = new Y.Doc();
  const text = doc.getText('text');
  text.insert(0, 'Bolo');
  const pieces = [{ seq: 1, piece: pieceOf([], [Y.encodeStateAsUpdate(doc)], { leftBytes: 0 })! }];
  text.delete(0, 4);
  text.insert(0, 'Torta');
  const base = Y.encodeStateAsUpdate(doc);
  Y.applyUpdate(doc, revertTo({ base, baseSeq: 2, rows: [], pieces }, 1)!);
  expect(text.toJSON()).toBe('Bolo');
});

const seeds = Array.from({ length: amount(40, 2_000) }, (_, n) => n + 1);

test.for(seeds)('each version says what the document said then, and is brought back, seed %i', (seed) => {
  const { history, said, pieces } = grown(seed);
  const seqs = [...pieces.map(({ seq }) => seq), ...history.rows.map((_, at) => history.baseSeq + at + 1)];
  expect(seqs.length).toBeGreaterThan(1);
  for (const seq of seqs) {
    const then = new Y.Doc();
    Y.applyUpdate(then, versionIn(history, seq, 'yjs')!);
    expect(contentOf(then)).toBe(said[seq]);
    const back = new Y.Doc();
    for (const update of [...(history.base === null ? [] : [history.base]), ...history.rows.flatMap(updatesIn), revertTo(history, seq)!])
      Y.applyUpdate(back, update);
    expect([seq, contentOf(back)]).toEqual([seq, said[seq]]);
  }
  expect([versionIn(history, 0, 'json'), versionIn(history, 41, 'json'), revertTo(history, 0)]).toEqual([null, null, null]);
});
