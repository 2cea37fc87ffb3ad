import { describe, expect, test } from 'vitest';
import type { FileItem } from '../../schema/wire/files.ts';
import { focused, kept, nothingChosen, only, ranged, stepOf, toggled } from './selection.ts';

const items = ['a', 'b', 'c', 'd'].map((nome) => ({ nome, caminho: `/f/${nome}` }) as FileItem);
const nowhere = { focus: null, anchor: null };
const [a, b, c] = items as [FileItem, FileItem, FileItem];
const chosen = (selection: { readonly chosen: ReadonlyMap<string, FileItem> }): string =>
  [...selection.chosen.values()].map(({ nome }) => nome).join('');

describe('what is chosen', () => {
  test('one, more, fewer, a range from the anchor', () => {
    const one = only(b, 1);
    expect(chosen(one)).toBe('b');
    expect(chosen(toggled(one, c, 2))).toBe('bc');
    expect(chosen(toggled(toggled(one, c, 2), b, 1))).toBe('c');
    const range = ranged(one, items.slice(1), 3);
    expect([chosen(range), range.anchor, range.focus]).toEqual(['bcd', 1, 3]);
    expect(chosen(focused(range, 0))).toBe('bcd');
    expect(chosen(nothingChosen)).toBe('');
  });

  test('what is gone is not chosen any more, and the keyboard stays in the folder', () => {
    const both = toggled(only(a, 0), b, 3);
    const now = kept(
      both,
      2,
      (path) => path === '/f/a',
      nowhere,
      () => -1,
    );
    expect([chosen(now), now.focus, now.anchor]).toEqual(['b', 1, 1]);
    expect(
      kept(
        both,
        0,
        () => true,
        nowhere,
        () => -1,
      ).focus,
    ).toBe(0);
  });

  test('the keyboard follows its entry, and stays at its place where the entry is gone', () => {
    const before = ranged(only(b, 1), items.slice(1, 3), 2);
    // A new entry comes before them, then `c` is deleted.
    const held = { focus: '/f/c', anchor: '/f/b' };
    const later = ['aa', 'a', 'b', 'c', 'd'].map((nome) => `/f/${nome}`);
    const now = kept(
      before,
      5,
      () => false,
      held,
      (path) => later.indexOf(path),
    );
    expect([now.focus, now.anchor, chosen(now)]).toEqual([3, 2, 'bc']);
    const without = later.filter((path) => path !== '/f/c');
    const then = kept(
      now,
      4,
      (path) => path === '/f/c',
      held,
      (path) => without.indexOf(path),
    );
    expect([then.focus, then.anchor, chosen(then)]).toEqual([3, 2, 'b']);
  });
});

describe('keys', () => {
  const list = { columns: 1, rows: 10, total: 100 };
  const grid = { columns: 4, rows: 3, total: 10 };
  test.for([
    ['ArrowDown', 5, list, 6],
    ['ArrowUp', 0, list, 0],
    ['PageDown', 5, list, 14],
    ['End', 5, list, 99],
    ['Home', 5, list, 0],
    ['ArrowRight', 5, list, null],
    ['ArrowRight', 5, grid, 6],
    ['ArrowDown', 1, grid, 5],
    ['ArrowDown', 7, grid, 9],
    ['ArrowDown', 9, grid, 9],
    ['ArrowUp', 2, grid, 2],
    ['x', 5, list, null],
    ['End', 0, { columns: 1, rows: 10, total: 0 }, null],
  ] as const)('%s at %i', ([key, focus, shape, to]) => expect(stepOf(key, focus, shape)).toBe(to));
});
