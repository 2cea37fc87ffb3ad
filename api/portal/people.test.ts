import { expect, test } from 'vitest';
import type { PersonRecord } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import { findPeople, initials, personAnswer } from './people.ts';

const person = (usuario: string, nome: string, login = usuario, ...grupos: readonly string[]): PersonRecord => ({
  usuario,
  nome,
  login,
  grupos,
});
const everybody = [
  person('joao', 'João Conceição', 'joao.c@casa.example', 'edição'),
  person('ana', 'Ana Souza', 'ana', 'edição', 'autores'),
  person('mariana', 'Mariana Ávila', 'mari@other.example'),
  person('u-17', 'Ødegård Ana'),
];
const find = (text: string) => {
  const { pessoas, grupos } = findPeople({ all: () => everybody }, text);
  return [...pessoas.map(({ usuario }) => usuario), ...grupos.map(({ grupo, pessoas: count }) => `${grupo}:${count}`)];
};

test.for([
  ['joao', ['joao']],
  ['JOÃO conce', ['joao']],
  ['conceicao', ['joao']],
  // Names that begin with the text come first.
  ['ana', ['ana', 'mariana', 'u-17']],
  ['avila mari', ['mariana']],
  ['u-17', ['u-17']],
  ['edicao', ['edição:2']],
  ['aut', ['autores:1']],
  // Nobody can be found by the part of a login after the "@".
  ['casa.example', []],
  ['@', []],
  ['other', []],
  ['', []],
  ['  ', []],
  ['nobody', []],
] as const)('%j finds %j', ([text, expected]) => {
  expect(find(text)).toEqual(expected);
});

test('no answer holds an e-mail', () => {
  expect(personAnswer(everybody[0]!)).toEqual({ usuario: 'joao', nome: 'João Conceição', login: 'joao.c', iniciais: 'JC' });
  expect(JSON.stringify(findPeople({ all: () => everybody }, 'a'))).not.toContain('example');
});

test('however many there are, a few are answered', () => {
  const many = Array.from({ length: 500 }, (_, n) => person(`p${n}`, `Pessoa ${n}`, `p${n}`, `pasta-${n}`));
  const { pessoas, grupos } = findPeople({ all: () => many }, 'p');
  expect([pessoas.length, grupos.length]).toEqual([limits.peopleFoundMax, limits.groupsFoundMax]);
});

test.for([
  ['Ana Souza', 'AS'],
  ['Ana Maria de Souza', 'AS'],
  ['Ødegård', 'Ø'],
  ['1st 2nd', 'X1'],
] as const)('initials of %s', ([nome, expected]) => {
  expect(initials({ nome, usuario: 'x1' })).toBe(expected);
});
