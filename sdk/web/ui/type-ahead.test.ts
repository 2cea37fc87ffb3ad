import { expect, test } from 'vitest';
import { typeAhead } from './type-ahead.ts';

const labels = ['Mover', 'Metade', 'Minimizar', 'Fechar', 'Ícone'];

test('a letter goes to the next entry that begins with it, and round', () => {
  let nowMs = 0;
  const type = typeAhead(() => (nowMs += 1_000));
  expect(type('m', labels, 0)).toBe(1);
  expect(type('m', labels, 1)).toBe(2);
  expect(type('m', labels, 2)).toBe(0);
});

test('letters typed quickly are one word', () => {
  const type = typeAhead(() => 0);
  expect(type('m', labels, 3)).toBe(0);
  expect(type('i', labels, 0)).toBe(2);
});

test('the same letter typed quickly goes on', () => {
  const type = typeAhead(() => 0);
  expect(type('m', labels, 0)).toBe(1);
  expect(type('m', labels, 1)).toBe(2);
});

test('accents and case do not matter; nothing found is null', () => {
  const type = typeAhead(() => 0);
  expect(type('I', labels, 0)).toBe(4);
  expect(typeAhead(() => 0)('z', labels, 0)).toBeNull();
});
