/** The rows of docs/benchmarks.md, as they are made of what a run of the benchmark knows. */
import { expect, test } from 'vitest';
import type { Row } from '../bench/rows.ts';
import { pageOf, pageTable, sectionsOf } from '../bench/sections.ts';

const row = (parts: Partial<Row>): Row => ({ name: 'a', ours: '1 s', peer: '2 s', ratio: '0.5×', target: '≤ 1×', held: true, ...parts });
const linesOf = (...rows: readonly Row[]): readonly string[] => pageTable(rows).split('\n').slice(2);

test.for([
  ['without the load', row({ name: 'a (load 2 % · 3 %; p50 1 ms), b' }), '| a, b | 1 s | 2 s: 0.5× (≤ 1×) |'],
  ['without p99', row({ ours: 'p50 1.0 ms, p99 2.0 ms', peer: '3 µs (p99 4)' }), '| a | 1.0 ms | 3 µs: 0.5× (≤ 1×) |'],
  ['a target that is missed', row({ held: false }), '| a | 1 s | 2 s: 0.5× (≤ 1×, missed) |'],
  ['the peer by its name', row({ name: 'a, b, against c d (load 2 %)' }), '| a, b | 1 s | c d: 0.5× (≤ 1×) |'],
  ['no peer', row({ peer: '– (none)', ratio: '–' }), '| a | 1 s | (≤ 1×) |'],
] as const)('%s', ([, given, line]) => {
  expect(linesOf(given)).toEqual([line]);
});

test('a row without a target is on the console only, and what rows have in common is said once', () => {
  const names = ['a b: c, against x', 'a b: c, against y', 'a b: … d', 'a b: f', 'g: h', 'g: i'];
  const rows = names.map((name) => row({ name }));
  expect(linesOf(row({ held: null, target: 'none: the floor' }), ...rows).map((line) => line.split(' | ')[0])).toEqual([
    '| a b: c',
    '| … d',
    '| … f',
    '| g: h',
    '| g: i',
  ]);
});

test('rows of one measurement are one, with all its peers; of another figure it is a row of its own', () => {
  const [x, y] = ['a, against x', 'a, against y'];
  expect(linesOf(row({ name: x }), row({ name: y, ratio: '3×', held: false }), row({ name: y, ours: '9 s' }))).toEqual([
    '| a | 1 s | x: 0.5× (≤ 1×) · y: 3× (≤ 1×, missed) |',
    '| … | 9 s | y: 0.5× (≤ 1×) |',
  ]);
});

test('what most sections were measured at is said once, and each section is read with it', () => {
  const sectionOf = (name: string, measured: string): string => `## ${name}\n\n${measured}\n\nA note.\n\n| a table |\n`;
  const sections = { a: sectionOf('a', '2026-01-02, abc.'), b: sectionOf('b', '2026-01-03, def.'), c: sectionOf('c', '2026-01-03, def.') };
  const page = pageOf(Object.values(sections));
  expect([...page.matchAll(/2026-\S+/g)].map(([day]) => day)).toEqual(['2026-01-03,', '2026-01-02,']);
  expect(Object.fromEntries(sectionsOf(page))).toEqual(sections);
});
