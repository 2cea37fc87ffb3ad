import { expect, test } from 'vitest';
import { readMeasured } from './folders.ts';

const lines = (text: string): readonly string[] => text.split('\n');

test('a whole folder is what du says of it, with those below it', () => {
  const [one] = readMeasured(lines('root .svc-apps\n4\t.svc-apps/notas/data\n12\t.svc-apps/notas\n20\t.svc-apps\nend 0'));
  expect(one).toEqual({
    root: '.svc-apps',
    bytes: 20_480,
    isWhole: true,
    below: new Map([
      ['notas/data', 4_096],
      ['notas', 12_288],
    ]),
  });
});

test.for([
  ['its time was over', 'root a\n4\ta/b/c\n8\ta/b\n16\ta/d/e\nend 124', 24 * 1_024],
  ['something in it can not be read', 'root a\n4\ta/b\n8\ta\nend 1', 8 * 1_024],
  ['a name has a line of its own', 'root a\n4\ta/b\nend of a name\n8\ta\nend 0', null],
  ['other paths are said', 'root a\n999\tb/c\n1\ta/../b\n8\ta\nend 0', null],
] as const)('%s: it is at least what was done', ([, text, atLeast]) => {
  const [one] = readMeasured(lines(text));
  expect(one).toMatchObject({ bytes: atLeast ?? 8 * 1_024, isWhole: atLeast === null });
});

test('what has no end says nothing', () => expect(readMeasured(lines('root a\n8\ta'))).toEqual([]));
