import { expect, test } from 'vitest';
import { movedBeside } from './order.ts';

test.for([
  ['a', 'b', 'after', 'bac'],
  ['a', 'c', 'after', 'bca'],
  ['c', 'a', 'before', 'cab'],
  ['b', 'a', 'before', 'bac'],
  ['a', 'b', 'before', null],
  ['b', 'a', 'after', null],
  ['a', 'a', 'after', null],
  ['x', 'a', 'after', null],
  ['a', 'x', 'after', null],
] as const)('%s goes beside %s, %s', ([item, other, side, result]) => {
  expect(movedBeside(['a', 'b', 'c'], item, other, side)?.join('') ?? null).toBe(result);
});
