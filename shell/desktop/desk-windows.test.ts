import { expect, test } from 'vitest';
import type { Desk } from './desk.ts';
import { isApp } from '../windows/shell.ts';
import { builtIn, builtinOptions } from './built-in.ts';
import { deskWindows } from './desk-windows.ts';

test.each(['constructor', 'valueof', 'notas'])('an app called %s is no window of the shell', (app) => {
  const { title } = deskWindows(() => ({ held: { get: () => new Map() } }) as unknown as Desk);
  expect(isApp({ app })).toBe(true);
  expect(builtIn(app)).toBe(undefined);
  expect(builtinOptions(app)).toBe(null);
  expect(title({ app, options: { title: 'Dela' } } as Parameters<typeof title>[0])).toBe('Dela');
});

test('a window of the shell has its own title and glyph', () => {
  expect(builtIn('@loja')?.glyph).toBe('shop');
  expect(builtinOptions('@loja')).toMatchObject({ manyWindows: false });
  expect(builtinOptions('@editor')).toMatchObject({ manyWindows: true });
});
