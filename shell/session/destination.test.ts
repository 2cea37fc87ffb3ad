import { expect, test } from 'vitest';
import { readDestination } from './destination.ts';

test.for([
  ['__Host-svc-destino=notas%2Fnota%2F1%3Fa%3Db', { app: 'notas', route: 'nota/1?a=b' }],
  ['a=b; svc-sessao-destino=notas%2F; c=d', { app: 'notas', route: '' }],
  ['__Host-svc-destino=notas%2F%2Fevil.example', null],
  ['__Host-svc-destino=notas%2F%5Cevil.example', null],
  ['__Host-svc-destino=NOTAS%2F', null],
  ['__Host-svc-destino=notas', null],
  ['__Host-svc-destino=%zz', null],
] as const)('%s leads to %o', ([cookies, destination]) => {
  expect(readDestination(cookies)).toMatchObject({ destination });
});

test.for(['', 'destino=notas%2F', 'x__Host-svc-destino=notas%2F'])('%j holds none', (cookies) => {
  expect(readDestination(cookies)).toBeNull();
});
