import { expect, test } from 'vitest';
import { keepDestination, readDestination, takeDestination } from './destination.ts';

test.for([
  ['notas/nota/1?a=b', { app: 'notas', route: 'nota/1?a=b' }],
  ['notas/', { app: 'notas', route: '' }],
  ['notas//evil.example', null],
  ['notas/\\evil.example', null],
  ['NOTAS/', null],
  ['notas', null],
  [`${'a'.repeat(50)}/`, null],
  ['', null],
] as const)('%j leads to %o', ([text, destination]) => {
  expect(readDestination(text)).toEqual(destination);
});

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  } as unknown as Storage;
}

test('it is taken once, within a quarter of an hour', () => {
  const own = storage();
  keepDestination(own, 'notas/x', 1_000);
  expect(takeDestination(own, 900_999)).toEqual({ app: 'notas', route: 'x' });
  expect(takeDestination(own, 900_999)).toBeNull();
  keepDestination(own, 'notas/x', 1_000);
  expect(takeDestination(own, 901_000)).toBeNull();
  keepDestination(own, 'notas//evil.example', 1_000);
  expect(takeDestination(own, 1_001)).toBeNull();
});
