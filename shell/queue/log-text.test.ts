import { expect, test } from 'vitest';
import { keptCharsMax, keptLinesMax } from '../tasks/lines.ts';
import { keepLog, shownLog } from './log-text.ts';

test('colours are left out, also those that came in two pieces', () => {
  expect(shownLog(keepLog('\u001b[1;3', '1merro\u001b[0m\r\nfim'))).toBe('erro\nfim');
});

test.for([
  ['a\u0000b\u0007c\u007f', 'a␀b␇c␡'],
  ['a\u202egnp.exe', 'a\\u202egnp.exe'],
  ['a\u009b31m', 'a\\u009b31m'],
  ['tab\tstays', 'tab\tstays'],
  ['10 %\r50 %\r100 %\nfim', '100 %\nfim'],
  ['10 %\r50 %\r', '50 %'],
] as const)('%j is shown as %j', ([written, shown]) => {
  expect(shownLog(written)).toBe(shown);
});

test('the end of a long log stays, in lines and in characters', () => {
  const lines = Array.from({ length: keptLinesMax + 5 }, (_, index) => `${index}`).join('\n');
  expect(shownLog(lines).split('\n')).toHaveLength(keptLinesMax);
  expect(keepLog('x'.repeat(keptCharsMax), 'y'.repeat(10))).toHaveLength(keptCharsMax);
});
