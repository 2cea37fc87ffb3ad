import { describe, expect, test } from 'vitest';
import { isAppId } from '../../schema/app-id.ts';
import { idFault, nameOf, nearestId } from './app-id.ts';

describe('the nearest id', () => {
  test.for([
    ['Minhas Notas', 'minhas-notas'],
    ['Ação & Reação', 'acao-reacao'],
    ['  --x--  ', 'x'],
    ['xn--abc', 'abc'],
    ['../fora', 'fora'],
    ['3d', '3d'],
    ['日本', ''],
    ['', ''],
    [`a${' b'.repeat(40)}`, 'a-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b-b'],
  ] as const)('of "%s" is "%s"', ([text, id]) => {
    expect(nearestId(text)).toBe(id);
    expect([isAppId(id), idFault(id) === null]).toEqual([id !== '', id !== '']);
  });
});

test('an id as people read it', () => {
  expect(nameOf('minhas-notas')).toBe('Minhas notas');
});
