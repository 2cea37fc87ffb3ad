import { describe, expect, test } from 'vitest';
import { search, sections, type Entry } from './search.ts';

const entry = (key: string, name: string, category = '', description = ''): Entry => ({ key, name, category, description });
const all = [
  entry('relogio', 'Relógio', 'Utility', 'Mostra as horas'),
  entry('notas', 'Notas', 'Office', 'Anotações com horas'),
  entry('blocos', 'Bloco de notas', 'Utility'),
  entry('x', 'Xadrez'),
];

describe('sections', () => {
  test('follow the shown names, and what has no category comes last', () => {
    const shown: Record<string, string> = { Utility: 'Acessórios', Office: 'Escritório', Other: 'A' };
    const result = sections(all, (category) => shown[category] ?? category);
    expect(result.map(({ category }) => category)).toEqual(['Utility', 'Office', 'Other']);
    expect(result[0]?.entries.map(({ key }) => key)).toEqual(['blocos', 'relogio']);
  });
});

describe('search', () => {
  const found = (query: string): readonly string[] => search(all, query).map(({ key }) => key);
  test.for([
    ['not', ['notas', 'blocos']],
    ['relogio', ['relogio']],
    ['RELÓ', ['relogio']],
    ['horas', ['notas', 'relogio']],
    ['notas horas', ['notas']],
    ['bloco notas', ['blocos']],
    ['nada', []],
    ['  ', []],
  ] as const)('“%s” finds %o', ([query, keys]) => {
    expect(found(query)).toEqual(keys);
  });
});
