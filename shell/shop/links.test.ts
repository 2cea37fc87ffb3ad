import { expect, test } from 'vitest';
import { readShopLink } from './links.ts';

test.for([
  ['#loja', { app: null }],
  ['#loja/agenda', { app: 'agenda' }],
  ['#loja/', null],
  ['#loja/../x', null],
  ['#outra', null],
  [`#loja/${'a'.repeat(49)}`, { app: 'a'.repeat(49) }],
  [`#loja/${'a'.repeat(50)}`, null],
  ['', null],
] as const)('the fragment %j leads to %j', ([fragment, expected]) => {
  expect(readShopLink(fragment)).toEqual(expected);
});
