/** The rows of docs/benchmarks.md, as they are made of what a run of the benchmark knows. */
import { expect, test } from 'vitest';
import type { Row } from '../bench/rows.ts';
import { pageTable } from '../bench/sections.ts';

const row = (parts: Partial<Row>): Row => ({ name: 'a', ours: '1 s', peer: '2 s', ratio: '0.5×', target: '≤ 1×', held: true, ...parts });
const linesOf = (...rows: readonly Row[]): readonly string[] => pageTable(rows).split('\n').slice(2);

test.for([
  ['without the load', row({ name: 'a (load 2 % · 3 %; p50 1 ms), b' }), '| a, b | 1 s | 2 s | 0.5× | ≤ 1× |'],
  ['without p99', row({ ours: 'p50 1.0 ms, p99 2.0 ms', peer: '3 µs (p99 4)' }), '| a | p50 1.0 ms | 3 µs | 0.5× | ≤ 1× |'],
  ['a target that is missed', row({ held: false }), '| a | 1 s | 2 s | 0.5× | ≤ 1×: missed |'],
] as const)('%s', ([, given, line]) => {
  expect(linesOf(given)).toEqual([line]);
});

test('a row without a target is on the console only, and sizes of one measure are one row', () => {
  const sized = (people: string, ours: string): Row => row({ name: `${people} people, 20 signed in: PSS`, ours, held: null, target: '—' });
  expect(linesOf(row({ held: null, target: 'none: the floor' }), sized('20', '97 MiB'), sized('1,000', '161 MiB'))).toEqual([
    '',
    '| without a target | 20 people | 1,000 people |',
    '|---|---|---|',
    '| PSS | 97 MiB | 161 MiB |',
  ]);
});
