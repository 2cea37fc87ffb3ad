import { expect, test } from 'vitest';
import type { Desk } from './desk.ts';
import { builtinOf, builtinOptions, deskWindows, isApp } from './desk-windows.ts';

test.each(['constructor', 'valueof', 'notas'])('an app called %s is no window of the shell', (app) => {
  const { title } = deskWindows(() => ({ held: { get: () => new Map() } }) as unknown as Desk);
  expect(isApp({ app })).toBe(true);
  expect(builtinOf({ app })).toBe(null);
  expect(builtinOptions(app)).toBe(null);
  expect(title({ app, options: { title: 'Dela' } } as Parameters<typeof title>[0])).toBe('Dela');
});

test('a window of the shell has its own title and glyph', () => {
  expect(builtinOf({ app: '@loja' })).toBe('shop');
  expect(builtinOptions('@loja')).toMatchObject({ manyWindows: false });
  expect(builtinOptions('@editor')).toMatchObject({ manyWindows: true });
});
