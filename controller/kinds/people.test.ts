import { expect, test } from 'vitest';
import { lookEveryMs } from './people.ts';

test.for([
  ['a quick list', 40, true, 9_000],
  ['a slow list, a tenth of the time', 2_000, true, 20_000],
  ['a directory that is away, whose client gave up after 11 s', 11_000, false, 31_000],
  ['a group that is not there', 40, false, 9_000],
] as const)('%s', ([, tookMs, isRead, everyMs]) => {
  expect(lookEveryMs(tookMs, isRead)).toBe(everyMs);
});
