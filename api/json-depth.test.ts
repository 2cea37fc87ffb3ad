import { expect, test } from 'vitest';
import { nestsDeeper } from './json-depth.ts';

test.for([
  ['[[1]]', false],
  ['[[[1]]]', true],
  ['[{"a":[]}]', true],
  ['[[],[],[],[]]', false],
  ['{"a":"[[[[","b":"\\"[[[["}', false],
  ['["\\\\",[[1]]]', true],
  ['"[[[', false],
  [']]]][[[', false],
  ['', false],
] as const)('%s nests deeper than two: %s', ([text, deeper]) => {
  expect(nestsDeeper(text, 2)).toBe(deeper);
});
