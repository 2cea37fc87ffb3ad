import * as fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { fittingPart } from './fitting.ts';
import { judge, type Knowledge, knowsNothing, learn } from './knowledge.ts';
import { addRange, addRanges, noRanges, type Ranges } from './ranges.ts';
import { scanUpdate } from './scan.ts';
import { encodeUints } from '../varuint.ts';

const asList = ({ pairs, count }: Ranges): number[] => [...pairs.subarray(0, count * 2)];
const rangeList = fc.array(fc.tuple(fc.nat(60), fc.nat(6)), { maxLength: 40 });

test('many ranges at once are what they are one by one', () => {
  fc.assert(
    fc.property(rangeList, rangeList, (before, added) => {
      const [one, other] = [noRanges(), noRanges()];
      for (const [from, length] of before) for (const ranges of [one, other]) addRange(ranges, from, from + length);
      for (const [from, length] of added) addRange(one, from, from + length);
      addRanges(
        other,
        added.map(([from]) => from),
        added.map(([from, length]) => from + length),
      );
      expect(asList(other)).toEqual(asList(one));
    }),
  );
});

describe('an update of one message with 199,000 deletions, the last first', () => {
  const client = 7;
  const written = (): Knowledge => {
    const doc = new Y.Doc();
    doc.clientID = client;
    doc.getText('t').insert(0, 'x'.repeat(900_000));
    const known = knowsNothing();
    learn(known, scanUpdate(Y.encodeStateAsUpdate(doc), known.vector)!);
    return known;
  };
  const backwards = (count: number, ...more: readonly number[]): Uint8Array => {
    const values = [0, 1, client, count + more.length / 2];
    for (let n = count; n > 0; n -= 1) values.push(n * 4, 1);
    return encodeUints([...values, ...more]);
  };

  test('costs no more than a moment', () => {
    const known = written();
    const before = process.threadCpuUsage();
    learn(known, scanUpdate(backwards(199_000), known.vector)!);
    const { user, system } = process.threadCpuUsage(before);
    expect(known.deleted.get(client)!.count).toBe(199_000);
    // Learning the deletions one at a time took 22 s.
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });

  test('is taken in part when one of them is too early', () => {
    const known = written();
    const update = backwards(199_000, 5_000_000, 1);
    expect(judge(known, scanUpdate(update, known.vector)!).kind).toBe('early');
    const part = fittingPart(known, update)!;
    expect(scanUpdate(part, known.vector)!.deletes).toHaveLength(3 * 199_000);
  });
});
