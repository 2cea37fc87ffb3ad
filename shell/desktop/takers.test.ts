import { expect, test } from 'vitest';
import { createTakers, type TakenFrom } from './takers.ts';

test.for<[TakenFrom, number, number]>([
  ['secret', 1_000, 1],
  ['question', 16, 4],
  ['question', 3_000, 4],
  ['window', 1_000, 6],
  ['window', 2_100, Infinity],
])('a page that takes the keyboard from a %s each %i ms is stopped at time %i', ([from, everyMs, at]) => {
  const takers = createTakers();
  const page = {};
  const times = Array.from({ length: 20 }, (_, n) => takers.took(page, from, n * everyMs));
  expect(times.indexOf(true)).toBe(at === Infinity ? -1 : at - 1);
});

test('a page that was pressed is forgiven that time, and known from then on; another page is not', () => {
  const takers = createTakers();
  const [page, other] = [{}, {}];
  for (let n = 0; n < 20; n += 1) {
    expect(takers.took(page, 'window', n)).toBe(false);
    takers.forgive(page);
  }
  expect([takers.isKnown(page), takers.isKnown(other)]).toEqual([true, false]);
});
