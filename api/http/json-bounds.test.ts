import { expect, test } from 'vitest';
import { excessOf } from './json-bounds.ts';

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
  expect(excessOf(Buffer.from(text), { depthMax: 2, valuesMax: 9 })).toBe(deeper ? 'depth' : null);
});

test.for([
  ['[1,2,3]', null],
  ['[1,2,3,4]', 'values'],
  ['{"a":1,"b":[1,2]}', 'values'],
  ['{"a":",,,,,,","b":1}', null],
  [',,,,', 'values'],
] as const)('%s and three values: %s', ([text, excess]) => {
  expect(excessOf(Buffer.from(text), { depthMax: 9, valuesMax: 3 })).toBe(excess);
});
