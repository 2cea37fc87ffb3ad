import { expect, test } from 'vitest';
import { keptIn } from './kept.ts';

const works = (): Storage => {
  const items = new Map<string, string>();
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  } as Storage;
};

test.for([
  [
    'is blocked',
    () => {
      throw new DOMException('denied', 'SecurityError');
    },
  ],
  ['is none', () => undefined as unknown as Storage],
  [
    'is full',
    () =>
      ({
        ...works(),
        setItem: () => {
          throw new DOMException('full', 'QuotaExceededError');
        },
      }) as Storage,
  ],
] as const)('a browser whose storage %s: what is kept holds for the page', ([, storage]) => {
  const kept = keptIn(storage);
  expect(kept.getItem('a')).toBeNull();
  kept.setItem('a', '1');
  expect(kept.getItem('a')).toBe('1');
  kept.removeItem('a');
  expect(kept.getItem('a')).toBeNull();
});

test('what was refused once is kept by the browser when it is written again', () => {
  const real = works();
  let isFull = true;
  const kept = keptIn(() => {
    if (isFull) throw new DOMException('full', 'QuotaExceededError');
    return real;
  });
  kept.setItem('a', '1');
  isFull = false;
  expect(kept.getItem('a')).toBe('1');
  kept.setItem('a', '2');
  expect([kept.getItem('a'), real.getItem('a')]).toEqual(['2', '2']);
});
