import { expect, test } from 'vitest';
import { isMentioned } from './mentions.ts';

test.for([
  ['olá @ana', 'ana', true],
  ['olá @ana, veja', 'ana', true],
  ['@ana.', 'ana', true],
  ['@anabel e @ana', 'ana', true],
  ['@anabel', 'ana', false],
  ['@ana-maria', 'ana', false],
  ['@anã', 'an', false],
  ['ana', 'ana', false],
  ['', 'ana', false],
] as const)('%j names %s: %s', ([words, login, named]) => {
  expect(isMentioned(words, login)).toBe(named);
});
