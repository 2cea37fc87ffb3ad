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

  test('are one for one category, however its authors spell it', () => {
    const shown: Record<string, string> = { Office: 'Escritório', OFFICE: 'Escritório', Other: 'Outros' };
    const spelled = ['Office', 'escritorio ', 'OFFICE', 'Meu  Canto', 'meu-canto', ' ', ''].map((category, at) =>
      entry(`a${at}`, `a${at}`, category),
    );
    const result = sections(spelled, (category) => shown[category] ?? category);
    expect(result.map(({ category, entries }) => [category, entries.map(({ key }) => key)])).toEqual([
      ['Office', ['a0', 'a1', 'a2']],
      ['Meu  Canto', ['a3', 'a4']],
      ['Other', ['a5', 'a6']],
    ]);
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
