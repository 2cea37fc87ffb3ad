import { expect, test } from 'vitest';
import { leftOf } from './screen.ts';

test.for([
  ['nothing is covered', 568, { height: 568, top: 0, zoom: 1 }, null],
  ['a bar of the browser', 568, { height: 512, top: 0, zoom: 1 }, null],
  ['a keyboard', 568, { height: 308, top: 0, zoom: 1 }, { height: 308, top: 0, covered: 260 }],
  ['a keyboard, and what is seen was shifted', 568, { height: 308, top: 100, zoom: 1 }, { height: 308, top: 100, covered: 160 }],
  ['shifted to the end', 568, { height: 308, top: 270, zoom: 1 }, { height: 308, top: 270, covered: 0 }],
  ['two fingers zoom', 568, { height: 284, top: 100, zoom: 2 }, null],
] as const)('%s', ([, height, seen, left]) => expect(leftOf(height, seen)).toEqual(left));
