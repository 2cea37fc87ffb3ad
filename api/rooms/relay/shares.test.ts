import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { whoGivesWay } from './shares.ts';

interface TestRoom {
  readonly name: string;
  readonly bytes: number;
  readonly changedAtMs: number;
}
const room = (name: string, bytes: number, changedAtMs = 0): TestRoom => ({ name, bytes, changedAtMs });
const holder = (...rooms: TestRoom[]) => ({ bytes: rooms.reduce((sum, { bytes }) => sum + bytes, 0), rooms });
const names = (rooms: readonly TestRoom[] | null): readonly string[] | null => rooms?.map(({ name }) => name) ?? null;

describe('who gives way', () => {
  test('of who holds most, what nobody has written to for longest', () => {
    const others = [holder(room('few', 20)), holder(room('busy', 30, 9), room('quiet', 10, 1), room('between', 20, 5))];
    expect(names(whoGivesWay(5, 10, others))).toEqual(['quiet']);
    expect(names(whoGivesWay(25, 10, others))).toEqual(['quiet', 'between']);
  });

  test('nobody who would hold no more than whoever asks', () => {
    expect(whoGivesWay(1, 30, [holder(room('a', 30)), holder(room('b', 10), room('c', 20))])).toBeNull();
    expect(names(whoGivesWay(1, 29, [holder(room('a', 30)), holder(room('b', 10))]))).toEqual(['a']);
  });

  test('nobody at all when that is not enough', () => {
    expect(whoGivesWay(31, 10, [holder(room('a', 30)), holder(room('b', 10))])).toBeNull();
  });

  test('each who holds most in turn, when much is missing', () => {
    const others = [holder(room('a1', 10, 1), room('a2', 10, 2)), holder(room('b1', 9, 1), room('b2', 9, 2))];
    expect(names(whoGivesWay(30, 5, others))).toEqual(['a1', 'b1', 'a2', 'b2']);
  });
});

const others = fc.array(
  fc.array(fc.record({ name: fc.string(), bytes: fc.integer({ min: 1, max: 50 }), changedAtMs: fc.nat(9) }), {
    minLength: 1,
    maxLength: 5,
  }),
  { maxLength: 12 },
);

test('whoever would hold no more than an equal part always gets it, and what is closed cannot be taken back', () => {
  fc.assert(
    fc.property(others, fc.integer({ min: 1, max: 100 }), (lists, own) => {
      const holders = lists.map((rooms) => holder(...rooms));
      const held = holders.reduce((sum, { bytes }) => sum + bytes, 0);
      // As if `own` were the equal part: so much is there in all.
      const missing = held + own - own * (holders.length + 1);
      const closed = whoGivesWay(missing, own, holders);
      expect(closed).not.toBeNull();
      expect(closed!.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThanOrEqual(Math.max(0, missing));
      for (const [n, { bytes, rooms }] of holders.entries()) {
        const gone = closed!.filter((one) => rooms.includes(one));
        if (gone.length === 0) continue;
        expect(bytes).toBeGreaterThan(own);
        const left = holders.map((other) => ({ bytes: other.bytes, rooms: other.rooms.filter((one) => !closed!.includes(one)) }));
        const now = left.map(({ rooms: kept }) => holder(...kept));
        const taker = holder(room('taker', own));
        // Back to what it held: nobody holds more that it could take from.
        expect(whoGivesWay(1, bytes, [taker, ...now.filter((_, at) => at !== n)])).toBeNull();
      }
    }),
  );
});
