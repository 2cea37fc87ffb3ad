/** The parsing of tables that `npm run bench -- --against` reads: both sides print them. */
import { expect, test } from 'vitest';
import { comparedRows, figureOf, figuresOf, shown } from '../bench/against.ts';

test.for([
  ['12,879 req/s', 12_879],
  ['9.7 ms', 0.0097],
  ['950 µs', 0.00095],
  ['1.20 s', 1.2],
  ['150 KB', 153_600],
  ['21 %', 21],
  ['p50 950 µs, p99 2 ms', 0.00095],
  ['334 MB (16.7 each)', 334 * 2 ** 20],
] as const)('%s is %d', ([text, value]) => expect(figureOf(text).value).toBeCloseTo(value, 9));

test('a text without a number is none', () => expect(figureOf('-').value).toBeNaN());

test.for(['950 µs', '9.7 ms', '1.2 s', '12880 req/s', '21 %', '334 MB', '150 KB', '3'])('%s is said as it was', (text) =>
  expect(shown(figureOf(text))).toBe(text),
);

const printed = (ours: string, load: string): string =>
  `## rooms\n\n| what | ours | peer | ratio | target | held |\n|---|---|---|---|---|---|\n| p50 (load ${load}) | ${ours} | 1 ms | 1× | – | yes |\n| only here ${load} | 3 | – | – | – | yes |\n`;

test('a row is found again although the load took another share, and rows of one side are left out', () => {
  const pair = (before: string, now: string) => ({
    before: figuresOf(printed(before, '7 % · 8 %')),
    now: figuresOf(printed(now, '9 % · 8 %')),
  });
  expect(comparedRows([pair('2 ms', '1 ms'), pair('2 ms', '1500 µs'), pair('2 ms', '2.2 ms')])).toEqual([
    '| p50 | 2 ms | 1.5 ms | 0.75× | 0.50 – 1.10 |',
  ]);
});
