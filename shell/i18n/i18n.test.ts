import { afterEach, describe, expect, test } from 'vitest';
import { catalogues, categoryText, chooseLanguage, formatTag, language, languages, relativeTime, text, type TextKey } from './i18n.ts';

afterEach(() => language.set('pt'));

const parameters = (entry: string | { readonly one: string; readonly other: string }): readonly string[] =>
  [...new Set((typeof entry === 'string' ? entry : entry.one + entry.other).match(/\{\w+\}/g))].sort();

describe('catalogues', () => {
  const keys = Object.keys(catalogues.pt) as TextKey[];

  test.for(languages)('%s has every sentence, with the same parameters', (name) => {
    expect(Object.keys(catalogues[name]).sort()).toEqual(keys.toSorted());
    for (const key of keys) expect([key, ...parameters(catalogues[name][key])]).toEqual([key, ...parameters(catalogues.pt[key])]);
  });
});

describe('text', () => {
  test('fills in parameters and leaves unknown ones to be seen', () => {
    expect(text('boot.starting', { nome: '$& Notas' })).toBe('Iniciando $& Notas');
    expect(text('boot.starting')).toBe('Iniciando {nome}');
  });

  test.for([
    ['Mau\u202e\u2066\u0085\u2028', 'Iniciando Mau'],
    ['\u202eahneS', 'Iniciando ahneS'],
    ['ملاحظات', 'Iniciando \u2068ملاحظات\u2069'],
  ] as const)('the name %o turns no words around it', ([nome, expected]) => {
    expect(text('boot.starting', { nome })).toBe(expected);
  });

  test.for([
    ['pt', 0, '0 resultado'],
    ['pt', 1, '1 resultado'],
    ['pt', 2, '2 resultados'],
    ['en', 0, '0 results'],
    ['en', 1, '1 result'],
  ] as const)('plural in %s of %i', ([name, n, expected]) => {
    expect(text('launcher.results', { n }, name)).toBe(expected);
  });

  test('a category without a translation is shown as written', () => {
    expect(categoryText('Office')).toBe('Escritório');
    expect(categoryText('Astronomia')).toBe('Astronomia');
  });

  test('relative times', () => {
    language.set('en');
    expect(relativeTime(8_000, 0)).toBe('in 8 seconds');
    expect(relativeTime(0, 3 * 60_000)).toBe('3 minutes ago');
  });
});

describe('the language', () => {
  test.for([
    [null, ['pt-BR', 'en'], 'pt'],
    [null, ['en-GB'], 'en'],
    [null, ['de', 'pt'], 'pt'],
    [null, ['ja'], 'en'],
    ['en', ['pt-BR'], 'en'],
    ['xx', ['pt-BR'], 'pt'],
  ] as const)('saved %s, preferred %o is %s', ([saved, preferred, expected]) => {
    expect(chooseLanguage(saved, preferred)).toBe(expected);
  });
});

test.for([
  ['en', ['en-GB', 'pt-BR'], 'en-GB'],
  ['pt', ['en-GB', 'pt-PT'], 'pt-PT'],
  ['pt', ['en-GB', 'pt'], 'pt-BR'],
  ['en', ['pt-BR'], 'en'],
  ['en', [], 'en'],
] as const)('in %s a person who reads %j sees dates as in %s', ([name, preferred, tag]) => {
  expect(formatTag(name, preferred)).toBe(tag);
});

test('counts are written as each language writes them', () => {
  const counts = [1, 999, 1_000, 1_234_567].flatMap((n) => [text('files.count', { n }, 'pt'), text('files.count', { n }, 'en')]);
  expect(counts).toEqual([
    '1 item',
    '1 item',
    '999 itens',
    '999 items',
    '1.000 itens',
    '1,000 items',
    '1.234.567 itens',
    '1,234,567 items',
  ]);
  expect(text('files.ofFilesOnly', { feitos: 1_500, todos: 12_000 }, 'pt')).toBe('1.500 de 12.000');
  // No count: as the program says it.
  expect(text('signin.error', { erro: 5_000 }, 'pt')).toBe('Não foi possível entrar: 5000');
});
