import { expect, test } from 'vitest';
import { appendLines, keptCharsMax, keptLinesMax } from './lines.ts';

test('terminal sequences are left out', () => {
  expect(appendLines('', '\u001b[1;31merro\u001b[0m\r\n\u001b]0;título\u0007fim\u001b[2K')).toBe('erro\nfim');
});

test('the last lines stay', () => {
  const text = Array.from({ length: keptLinesMax + 5 }, (_, index) => `${index}`).join('\n');
  const kept = appendLines('', text).split('\n');
  expect(kept).toHaveLength(keptLinesMax);
  expect(kept.at(-1)).toBe(String(keptLinesMax + 4));
});

test('one endless line does not grow the page', () => {
  expect(appendLines('x'.repeat(keptCharsMax), 'y'.repeat(10))).toHaveLength(keptCharsMax);
});

test('pieces of a line come together', () => {
  expect(appendLines(appendLines('', 'me'), 'io\n')).toBe('meio\n');
});
