import { expect, test } from 'vitest';
import { nameOf, packageIn, personIn } from './changes.ts';

const form = (fields: Readonly<Record<string, string | readonly string[]>>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) for (const each of [value].flat()) data.append(name, each);
  return data;
};

test.for([
  ['bia', 'bia'],
  ['Bia.Lima@example.org', 'bia.lima-example.org'],
  ['_svc_', 'svc'],
  ['@@', 'pessoa'],
  [`${'x'.repeat(62)}@y`, 'x'.repeat(62)],
] as const)('the login %s gives the document the name %s', ([login, name]) => {
  expect(nameOf(login)).toBe(name);
});

test('the account is written where it is not the name, and groups are words', () => {
  const said = { nome: ' Bia ', login: 'Bia', server: 'casa', account: '', grupos: 'a, b;a  c' };
  expect(personIn(form(said))).toEqual({
    act: 'put',
    kind: 'Person',
    name: 'bia',
    person: { nome: 'Bia', login: 'Bia', server: 'casa', account: 'Bia', grupos: ['a', 'b', 'c'] },
  });
  expect(personIn(form({ ...said, login: 'bia', grupos: '' })).person).toEqual({ nome: 'Bia', login: 'bia', server: 'casa' });
});

test('an app goes to all servers or to those that are ticked, and keeps the name of its document', () => {
  expect(packageIn(form({ app: 'notas', versao: '1.0.0', servers: ['casa', 'lua'], grupos: '' }), null)).toMatchObject({
    name: 'notas',
    package: { app: 'notas', servers: ['casa', 'lua'] },
  });
  const of = { kind: 'Package', name: 'notas-casa', line: 1, app: 'notas' };
  expect(packageIn(form({ versao: '2.0.0', everywhere: 'on', servers: 'casa' }), of)).toMatchObject({
    name: 'notas-casa',
    package: { app: 'notas', versao: '2.0.0', everywhere: true },
  });
});
