import { expect, test } from 'vitest';
import { isKnown, listsEtag } from './etag.ts';

test.for([
  ['"2"', true, true],
  ['W/"2"', false, true],
  ['"2-gzip"', false, true],
  ['"2;br"', false, true],
  ['W/"2-zstd"', false, true],
  [' "1" , W/"2"', false, true],
  ['*', true, true],
  ['"3"', false, false],
  ['2', false, false],
  ['"2-other"', false, false],
  ['', false, false],
] as const)('%s names "2": strongly %s, weakly %s', ([header, strong, weak]) => {
  expect([listsEtag(header, '"2"', 'strong'), listsEtag(header, '"2"', 'weak'), isKnown(header, '"2"')]).toEqual([strong, weak, weak]);
});

test('a validator of ours that ends like a coding is itself', () => {
  expect([listsEtag('"a-br"', '"a-br"', 'strong'), listsEtag('"a-br"', '"a"', 'weak')]).toEqual([true, true]);
});
