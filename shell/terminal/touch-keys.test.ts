import { expect, test } from 'vitest';
import { typedWith } from './touch-keys.ts';

test.each([
  ['c', '\u0003'],
  ['C', '\u0003'],
  ['d', '\u0004'],
  ['[', '\u001b'],
  ['_', '\u001f'],
  ['1', '1'],
  ['ç', 'ç'],
  ['ls', 'ls'],
])('Ctrl and %s', (key, sent) => {
  expect(typedWith(true, key)).toBe(sent);
  expect(typedWith(false, key)).toBe(key);
});
