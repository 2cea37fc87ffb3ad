/** The shape of a catalogue of browser extensions. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readExtensions } from './catalogue.ts';

const extension = { id: 'leitor', nome: 'Leitor', navegadores: [{ navegador: 'chrome', endereco: 'https://loja.example/leitor' }] };
const at = (endereco: string, navegador = 'chrome') => ({ ...extension, navegadores: [{ navegador, endereco }] });
const judged = (extensoes: readonly unknown[], more: object = {}): readonly string[] =>
  readExtensions('extensoes.json', JSON.stringify({ formato: 1, extensoes, ...more })).errors.map(({ code, path }) => `${code} ${path}`);

test('the one of the examples, and an empty one', () => {
  const file = path.resolve(import.meta.dirname, '../../examples/apps/extensoes.json');
  const { ok, extensions } = readExtensions(file, readFileSync(file));
  expect([ok, extensions?.map(({ id }) => id)]).toEqual([true, ['leitor-na-pagina']]);
  expect(judged([])).toEqual([]);
});

test.for<readonly [string, unknown, string]>([
  ['http', at('http://loja.example/x'), 'PATTERN /extensoes/0/navegadores/0/endereco'],
  ['a script', at('javascript:alert(1)'), 'PATTERN /extensoes/0/navegadores/0/endereco'],
  ['a name before the host', at('https://loja.example@mau.example/'), 'INLINE_CREDENTIAL /extensoes/0/navegadores/0/endereco'],
  ['no host', at('https:///x'), 'FORMAT /extensoes/0/navegadores/0/endereco'],
  ['a long address', at(`https://loja.example/${'x'.repeat(2_048)}`), 'LENGTH /extensoes/0/navegadores/0/endereco'],
  ['a browser that nobody knows', at('https://loja.example/', 'lynx'), 'ENUM /extensoes/0/navegadores/0/navegador'],
  ['no browser', { ...extension, navegadores: [] }, 'LENGTH /extensoes/0/navegadores'],
  ['an id with capitals', { ...extension, id: 'Leitor' }, 'PATTERN /extensoes/0/id'],
  ['a name that turns the text around', { ...extension, nome: 'a\u202eb' }, 'CONTROL_CHARACTER /extensoes/0/nome'],
  ['a name that shows nothing', { ...extension, nome: '\u200b' }, 'CONTROL_CHARACTER /extensoes/0/nome'],
  ['a field more', { ...extension, instalar: true }, 'UNKNOWN_FIELD /extensoes/0/instalar'],
])('refuses %s', ([, entry, finding]) => {
  expect(judged([entry])).toContain(finding);
});

test('refuses an id twice, a browser twice, too many, and another format', () => {
  expect(judged([extension, extension])).toEqual(['DUPLICATE_NAME /extensoes/1/id']);
  const { navegadores } = extension;
  expect(judged([{ ...extension, navegadores: [...navegadores, ...navegadores] }])).toEqual([
    'DUPLICATE_NAME /extensoes/0/navegadores/1/navegador',
  ]);
  expect(judged(Array.from({ length: 501 }, (_, n) => ({ ...extension, id: `e-${n}` })))).toEqual(['LENGTH /extensoes']);
  expect(judged([], { formato: 2 })).toEqual([expect.stringContaining(' /formato')]);
  expect(readExtensions('x', '{').errors[0]?.code).toBe('SYNTAX');
  expect(readExtensions('x', ' '.repeat(512 * 1_024 + 1)).errors[0]?.code).toBe('TOO_LARGE');
});
