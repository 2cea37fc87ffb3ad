import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { amount } from '../../test/support/amount.ts';
import { compareNames } from './name-order.ts';
import { anyCharacter } from '../../test/support/any-character.ts';

const collator = new Intl.Collator('pt', { numeric: true, sensitivity: 'base' });
const seed = Number(process.env['SVC_SEED'] ?? 20_261_124);
const ours = (left: string, right: string): number => Math.sign(compareNames(left, right));
const theirs = (left: string, right: string): number => Math.sign(collator.compare(left, right));

test.each([
  ['a2', 'a10'],
  ['a02', 'a2'],
  ['a002', 'a10'],
  ['a1b', 'a01a'],
  ['a10', 'a1'],
  ['a1', 'a1a'],
  ['a', 'A'],
  ['ab', 'Aá'],
  ['a\u0301', 'b'],
  ['1', 'a'],
  ['a.txt', 'a1.txt'],
  ['a b', 'a-b'],
  ['0', '00'],
  ['x0', 'x'],
  ['relatório', 'relatorio'],
  ['ﬁ', 'fi'],
  ['ß', 'ss'],
  ['', 'a'],
  ['1٣', '13'],
  ['99999999999999999999', '100000000000000000000'],
])('%j and %j are in the order of the collator', (left, right) => {
  expect([ours(left, right), ours(right, left)]).toEqual([theirs(left, right), theirs(right, left)]);
});

test('any two names are in the order of the collator', () => {
  const near = fc.array(fc.constantFrom(...Array.from('aAbBzZ019 ._-(é\u0301ßç٣')), { maxLength: 8 }).map((chars) => chars.join(''));
  const pair = fc.oneof(fc.tuple(near, near), fc.tuple(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter })));
  fc.assert(
    fc.property(pair, ([left, right]) => {
      expect([left, right, ours(left, right)]).toEqual([left, right, theirs(left, right)]);
    }),
    { numRuns: amount(20_000, 2_000_000), seed },
  );
});
