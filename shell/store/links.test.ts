import { expect, test } from 'vitest';
import { readStoreLink } from './links.ts';

test.for([
  ['#loja', { app: null }],
  ['#loja/agenda', { app: 'agenda' }],
  ['#loja/', null],
  ['#loja/../x', null],
  ['#outra', null],
  [`#loja/${'a'.repeat(64)}`, null],
  ['', null],
] as const)('the fragment %j leads to %j', ([fragment, expected]) => {
  expect(readStoreLink(fragment)).toEqual(expected);
});
