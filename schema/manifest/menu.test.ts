import { describe, expect, test } from 'vitest';
import { contextMenuItems, menuOf } from './menu.ts';
import { contrastWithWhite } from './contrast.ts';
import { leavesPackage } from './rules.ts';

const path = { id: 'a', superficie: 'arquivo', rotulo: 'A' };
const jump = { id: 'j', superficie: 'icone-do-app', rotulo: 'J', rota: 'novo' };

// Spec 2.2, row by row.
test.for<[string, unknown]>([
  ['a file item', path],
  ['a folder item', { ...path, superficie: 'pasta' }],
  ['a desktop item', { ...path, superficie: 'area-de-trabalho', acao: 'abrir', ordem: 0 }],
  ['a file item for some extensions', { ...path, quando: { extensoes: ['.md', 'TXT'] }, ordem: 999 }],
  ['a file item for every extension', { ...path, quando: {} }],
  ['a jump item', jump],
  ['a jump item with its verb', { ...jump, acao: 'abrirRota', rota: '?novo=1#a' }],
  ['a label of 48 characters outside the first plane', { ...path, rotulo: '😀'.repeat(48) }],
  ['a route with dots in a name', { ...jump, rota: 'a..b/...' }],
])('%s stays', ([, item]) => {
  expect(contextMenuItems([item])).toEqual({ items: [item], omitted: [] });
});

test.for<[string, unknown, (string | number)[]]>([
  ['a text', 'x', []],
  ['an unknown field', { ...path, icone: 'x' }, ['icone']],
  ['no id', { superficie: 'arquivo', rotulo: 'A' }, []],
  ['an id with a hyphen first', { ...path, id: '-a' }, ['id']],
  ['an id of 49', { ...path, id: 'a'.repeat(49) }, ['id']],
  ['another surface', { ...path, superficie: 'bandeja' }, ['superficie']],
  ['an empty label', { ...path, rotulo: '' }, ['rotulo']],
  ['a label that nobody sees', { ...path, rotulo: '\u200b\ufeff' }, ['rotulo']],
  ['a label that turns the next one', { ...path, rotulo: 'A\u202e' }, ['rotulo']],
  ['a label that a terminal obeys', { ...path, rotulo: '\u001b[2J' }, ['rotulo']],
  ['a label of 49', { ...path, rotulo: 'x'.repeat(49) }, ['rotulo']],
  ['ordem -1', { ...path, ordem: -1 }, ['ordem']],
  ['ordem 1000', { ...path, ordem: 1000 }, ['ordem']],
  ['ordem 1.5', { ...path, ordem: 1.5 }, ['ordem']],
  ['the verb of the jump list on a file', { ...path, acao: 'abrirRota' }, ['acao']],
  ['the verb of files on the jump list', { ...jump, acao: 'abrir' }, ['acao']],
  ['rota on a file', { ...path, rota: 'x' }, ['rota']],
  ['no rota on the jump list', { ...jump, rota: undefined }, []],
  ['quando on the jump list', { ...jump, quando: {} }, ['quando']],
  ['quando on a folder', { ...path, superficie: 'pasta', quando: {} }, ['quando']],
  ['no extension', { ...path, quando: { extensoes: [] } }, ['quando', 'extensoes']],
  ['a bad extension', { ...path, quando: { extensoes: ['md', '*'] } }, ['quando', 'extensoes', 1]],
  ['an unknown condition', { ...path, quando: { mime: 'x' } }, ['quando', 'mime']],
  ['an empty rota', { ...jump, rota: '' }, ['rota']],
  ['a rota of 513', { ...jump, rota: 'x'.repeat(513) }, ['rota']],
  ['an absolute rota', { ...jump, rota: '/x' }, ['rota']],
  ['a rota of another host', { ...jump, rota: '//evil.org' }, ['rota']],
  ['a rota with backslashes', { ...jump, rota: '\\\\evil.org' }, ['rota']],
  ['a rota with a scheme', { ...jump, rota: 'javascript:alert(1)' }, ['rota']],
  ['a rota with a hidden scheme', { ...jump, rota: '\tjavascript:alert(1)' }, ['rota']],
  ['a rota that goes up', { ...jump, rota: 'a/../../b' }, ['rota']],
  ['a rota that goes up in disguise', { ...jump, rota: 'a/%2E%2e/b' }, ['rota']],
  ['a rota that goes up with backslashes', { ...jump, rota: 'a\\..\\b' }, ['rota']],
])('%s is omitted and its sibling stays', ([, item, where]) => {
  const sibling = { ...path, id: 'sibling' };
  const { items, omitted } = contextMenuItems([item, sibling]);
  expect(items).toEqual([sibling]);
  expect(omitted).toEqual([{ index: 0, path: where, reason: expect.stringMatching(/.{8}/) }]);
});

test('the first of two items with one id stays', () => {
  expect(contextMenuItems([path, { ...path, rotulo: 'B' }])).toMatchObject({ items: [path], omitted: [{ index: 1, path: ['id'] }] });
});

// Values of the WCAG formula, worked out elsewhere.
test.for([
  ['#000000', 21],
  ['#ffffff', 1],
  ['#767676', 4.54],
  ['#777777', 4.48],
  ['#ff0000', 4],
  ['#0000FF', 8.59],
] as const)('%s has a contrast of %f against white', ([color, expected]) => {
  expect(contrastWithWhite(color)).toBeCloseTo(expected, 2);
});

test.for([
  ['backend/main.py', false],
  ['a..b/c', false],
  ['./a', false],
  ['/a', true],
  ['..', true],
  ['a/..', true],
  ['a\\b', true],
  ['a\nb', true],
] as const)('%j leaves the package: %s', ([file, leaves]) => {
  expect(leavesPackage(file) !== null).toBe(leaves);
});

describe('the menu of a manifest on a disk', () => {
  const items = (contextMenu: unknown): Parameters<typeof menuOf>[0] => ({ contributes: { contextMenu } }) as Parameters<typeof menuOf>[0];
  const valid = { id: 'ver', superficie: 'arquivo', rotulo: 'Ver' };

  test.for<readonly [string, Parameters<typeof menuOf>[0], number, readonly string[]]>([
    [
      'valid items stay beside invalid ones',
      items([{ ...valid, ordem: 1_000 }, valid]),
      1,
      ['contributes.contextMenu[0].ordem is omitted: expected a whole number from 0 to 999'],
    ],
    [
      'the place is that of the error',
      items([{ ...valid, quando: { extensoes: ['svg', '/'] } }]),
      0,
      ['contributes.contextMenu[0].quando.extensoes[1] is omitted: expected a file extension, with or without the dot'],
    ],
    ['what is no list is no menu', items({ 0: valid }), 0, []],
    ['an engine has none', { ...items([valid]), type: 'engine' }, 0, []],
    [
      'nine are one too many',
      items(Array.from({ length: 9 }, (_each, n) => ({ ...valid, id: `i${n}` }))),
      8,
      ['contributes.contextMenu: the last 1 are omitted: an app has at most 8 items'],
    ],
  ])('%s', ([, manifest, count, omitted]) => {
    const menu = menuOf(manifest);
    expect([menu.items.length, menu.omitted]).toEqual([count, omitted]);
  });

  test('what a stranger wrote makes no long line and no second one', () => {
    const [line = ''] = menuOf(items([{ ...valid, ['a\nb'.repeat(10_000)]: 1 }])).omitted;
    expect([line.length < 400, line.includes('\n')]).toEqual([true, false]);
  });
});
