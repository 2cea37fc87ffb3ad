import { expect, test } from 'vitest';
import { words } from './reasons.ts';

const failure = (code: string): Error => Object.assign(new Error('for engineers'), { code });

test('a known code becomes a sentence, also in place of the portal’s own message', () => {
  expect(words(failure('TOO_LARGE'))).toMatch(/32 MiB/);
  for (const code of ['FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED', 'CONFLICT', 'OFFLINE', 'DISK_FULL', 'sem-resposta', 'pedidos-demais'])
    expect(words(failure(code))).not.toBe('for engineers');
});

test('anything else says what it says', () => {
  expect(words(failure('constructor'))).toBe('for engineers');
  expect(words(new Error('x'))).toBe('x');
  expect(words('y')).toBe('y');
});
