/** Addresses of routes, and what the compiler refuses of a call: a directive that refuses nothing is an error of `tsc`. */
import { expect, test } from 'vitest';
import { addressOf } from './call.ts';

test.for([
  ['parts of the path', addressOf('GET /api/apps/:id', { params: { id: 'a/b ?' } }), '/api/apps/a%2Fb%20%3F'],
  [
    'a path that keeps its slashes',
    addressOf('GET /api/fila/trabalhos/:id/saida/*', { params: { id: 'j1', '*': 'a b/c#' }, query: {} }),
    '/api/fila/trabalhos/j1/saida/a%20b/c%23',
  ],
  [
    'numbers, and what is left out',
    addressOf('GET /api/fila/trabalhos/:id', { params: { id: 'j1' }, query: { espera: 30, app: undefined } }),
    '/api/fila/trabalhos/j1?espera=30',
  ],
  [
    'several of one name',
    addressOf('GET /api/arquivos/zip', { query: { caminho: ['/a&b', '/ç'] } }),
    '/api/arquivos/zip?caminho=%2Fa%26b&caminho=%2F%C3%A7',
  ],
] as const)('%s', ([, { method, path }, wanted]) => {
  expect([method, path]).toEqual(['GET', wanted]);
});

test('a call that does not fit its route does not compile', () => {
  const calls = [
    // @ts-expect-error: there is no such route.
    () => addressOf('GET /api/app', {}),
    // @ts-expect-error: the path has a part.
    () => addressOf('GET /api/apps/:id'),
    // @ts-expect-error: a part has another name.
    () => addressOf('GET /api/apps/:id', { params: { app: 'notas' } }),
    // @ts-expect-error: the query lacks a field.
    () => addressOf('GET /api/pessoas', { query: {} }),
    // @ts-expect-error: a required field is undefined.
    () => addressOf('GET /api/pessoas', { query: { busca: undefined } }),
    // @ts-expect-error: the body is none of this route.
    () => addressOf('PUT /api/apps/:id/segredos/:nome', { params: { id: 'notas', nome: 'A' }, body: { valor: 'x' } }),
  ];
  expect(calls.length).toBe(6);
});
