import { expect, test } from 'vitest';
import { backendOf, eventKeysOf, keyOf, objectKeysOf, packageOf } from './keys.ts';

test.for([
  ['ana/notas', 'Backend/ana/notas'],
  ['Backend/ana/notas', 'Backend/ana/notas'],
  ['backends/ana/notas', 'Backend/ana/notas'],
  ['server/casa', 'Server/casa'],
  ['people/ana', 'Person/ana'],
  ['People/alunos', 'People/alunos'],
  ['Package/notas-casa', 'Package/notas-casa'],
] as const)('%s names %s', ([text, key]) => {
  expect(keyOf(text)).toBe(key);
});

test.for(['', 'ana', 'ana/', '/notas', 'a/b/c', 'Server/', 'Backend'])('"%s" names nothing', (text) => {
  expect(() => keyOf(text)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
});

test.for([
  [undefined, undefined, ['']],
  ['backends', undefined, ['Backend']],
  ['Person', undefined, ['Person']],
  ['ana/notas', undefined, ['Backend/ana/notas']],
  ['backends', 'ana', ['Backend/ana']],
  ['people', 'ana', ['Person/ana']],
] as const)('get %s %s lists %j', ([what, name, keys]) => {
  expect(objectKeysOf(what, name)).toEqual(keys);
});

test('get of a name lists what it has, of every kind; two words begin with a kind', () => {
  expect(objectKeysOf('ana', undefined)).toEqual(expect.arrayContaining(['Person/ana', 'Backend/ana', 'Package/ana', 'Supervisor/ana']));
  for (const what of ['ana', 'ana/notas']) expect(() => objectKeysOf(what, 'bia')).toThrow(/names nothing/);
});

test('only a backend can be started', () => {
  expect(backendOf('ana/notas')).toEqual({ person: 'ana', app: 'notas' });
  for (const text of ['Server/casa', 'Backend/ana', 'Backend/a/b/c']) expect(() => backendOf(text)).toThrow(/no backend/);
});

test.for([
  ['notas-casa', 'Package/notas-casa'],
  ['ana/notas', 'Package/ana/notas'],
  ['Package/notas-casa', 'Package/notas-casa'],
  ['packages/ana/notas', 'Package/ana/notas'],
] as const)('%s is the package %s', ([text, key]) => {
  expect(packageOf(text)).toBe(key);
});

test.for(['', '/notas', 'a/b/c', 'ana/'])('"%s" is no package', (text) => {
  expect(() => packageOf(text)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
});

test.for([
  ['Package', ['Package']],
  ['packages/', ['Package']],
  ['Backend/ana', ['Backend/ana']],
  ['ana/notas', ['Backend/ana/notas']],
  [
    'ana',
    [
      'Backend/ana',
      'Supervisor/ana',
      'Server/ana',
      'Person/ana',
      'People/ana',
      'Package/ana',
      'Engine/ana',
      'Service/ana',
      'Portal/ana',
      'Grant/ana',
      'Cluster/ana',
      'Job/ana',
    ],
  ],
] as const)('the events of %s are those of %o', ([text, keys]) => {
  expect(eventKeysOf(text)).toEqual(keys);
});

test.for(['', '/', '/notas', 'a/b/c', 'Backend//notas'])('"%s" names no events', (text) => {
  expect(() => eventKeysOf(text)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
});
