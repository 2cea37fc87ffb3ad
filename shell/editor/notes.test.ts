import { expect, test } from 'vitest';
import { ApiError } from '../session/api.ts';
import { choicesOf, isMissing, wordsOf, type Note } from './notes.ts';

const acts = (note: Note): readonly string[] => choicesOf(note).map(({ act }) => act);

test.for<[Note, readonly string[]]>([
  [{ kind: 'changed' }, ['reload', 'overwrite', 'copy']],
  [{ kind: 'gone', what: 'file' }, ['again-here', 'elsewhere', 'stay']],
  [{ kind: 'gone', what: 'folder' }, ['elsewhere', 'stay']],
  [{ kind: 'restored', fromMs: 0 }, ['drop', 'stay']],
  [{ kind: 'unwritable' }, ['as-utf8', 'stay']],
  [{ kind: 'failed', words: 'x' }, ['save', 'elsewhere', 'stay']],
  [{ kind: 'closing' }, ['save-and-close', 'close', 'stay']],
])('%o is answered by %o', ([note, expected]) => {
  expect(acts(note)).toEqual(expected);
  expect(choicesOf(note).filter(({ isFirst }) => isFirst === true)).toHaveLength(1);
});

test('of a deleted file the one on the server is not offered, and it is not told as one that changed', () => {
  for (const what of ['file', 'folder'] as const) {
    const note: Note = { kind: 'gone', what };
    expect(acts(note)).not.toContain('reload');
    expect(wordsOf(note, 'a.txt', 'utf-8', 0)).not.toBe(wordsOf({ kind: 'changed' }, 'a.txt', 'utf-8', 0));
    expect(wordsOf(note, 'a.txt', 'utf-8', 0)).toContain('a.txt');
  }
});

test('what could not be asked is not missing', () => {
  expect(isMissing(new ApiError(404, 'INTERNAL', ''))).toBe(true);
  for (const [status, code] of [
    [0, 'OFFLINE'],
    [403, 'FILE_REFUSED'],
    [502, 'FILE_FAILED'],
  ] as const)
    expect(isMissing(new ApiError(status, code, ''))).toBe(false);
  expect(isMissing(new Error('404'))).toBe(false);
});
