import { expect, test } from 'vitest';
import { createSearch, fold, type IndexedPage } from './find.ts';

const page = (href: string, title: string, ...sections: [id: string, heading: string, text: string][]): IndexedPage => ({
  href,
  title,
  sections: sections.map(([id, heading, text]) => ({ id, heading, text })),
});
const people = [
  page(
    '/files',
    'Arquivos',
    ['', '', 'Mostra as pastas da sua conta.'],
    ['lixeira', 'Lixeira', 'Restaurar o que foi apagado, ou esvaziar.'],
  ),
  page('/rooms', 'Salas', ['', '', 'Escrever com outras pessoas; nada é apagado.']),
];
const docs = [page('/docs/files', 'Files of a person', ['trash', 'Trash', 'restaurar lixeira'])];
const { find } = createSearch([people, docs]);
const hrefs = (query: string): string[] => find(query).found.map(({ href }) => href);

test.for([
  ['a word of a title, without its accents and case', 'ARQUIVOS', '/files'],
  ['a heading before a text', 'lixeira', '/files#lixeira'],
  ['the beginning of a word', 'restaur', '/files#lixeira'],
  ['two words that are together in one place only', 'apagado pessoas', '/rooms'],
  ['a word of the title with one of a section', 'arquivos esvaziar', '/files#lixeira'],
] as const)('%s is found first', ([, query, href]) => expect(hrefs(query)[0]).toBe(href));

test('a word that is in no page is taken for the nearest one', () => {
  const { found, corrected } = find('lixiera');
  expect(corrected).toBe('lixeira');
  expect(found[0]?.href).toBe('/files#lixeira');
});

test('nothing is found for words that are nowhere, or for none', () => {
  expect([hrefs('xyzzy quux'), hrefs('  '), hrefs('…')]).toEqual([[], [], []]);
});

test('an excerpt marks what was found, as it is written there', () => {
  const [only] = createSearch([[page('/x', 'X', ['', '', `${'antes '.repeat(60)}a Ação e 𝒜 a ação ${'depois '.repeat(60)}`])]]).find(
    'acao',
  ).found;
  expect(only?.excerpt.filter((_, at) => at % 2 === 1)).toEqual(['Ação', 'ação']);
  expect(only?.excerpt.join('').length).toBeLessThan(200);
});

test('each letter stays in its place when it is folded', () => {
  expect(fold('Ção İ 𝒜x ﬁ')).toHaveLength(Array.from('Ção İ 𝒜x ﬁ').length);
});
