import { describe, expect, test } from 'vitest';
import { corDe, melhorPapel, podeEscrever } from './rooms.ts';

describe('roles', () => {
  test.for([
    ['dona', true, true],
    ['editar', true, true],
    ['comentar', false, true],
    ['ver', false, false],
  ] as const)('%s writes the document: %s, comments: %s', ([papel, documento, comentarios]) => {
    expect([podeEscrever(papel, 'documento'), podeEscrever(papel, 'comentarios')]).toEqual([documento, comentarios]);
  });

  test('a person in by name and by group keeps the better role', () => {
    expect([melhorPapel('ver', 'editar'), melhorPapel('dona', 'ver'), melhorPapel(null, 'comentar'), melhorPapel(null, null)]).toEqual([
      'editar',
      'dona',
      'comentar',
      null,
    ]);
  });
});

describe('the colour of a person', () => {
  const light = (hex: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [dark = 0, bright = 0] = [light(one), light(other)].toSorted((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };

  test('never changes', () => {
    expect(['ana', 'bia', 'caio', ''].map(corDe)).toEqual(['#c339a1', '#438f2a', '#3088a5', '#3088a5']);
  });

  test('is readable on white and on dark, and there are many', () => {
    const all = new Set(Array.from({ length: 500 }, (_, n) => corDe(`pessoa-${n}`)));
    expect(all.size).toBe(24);
    for (const colour of all) {
      expect(contrast(colour, '#ffffff')).toBeGreaterThanOrEqual(3);
      expect(contrast(colour, '#1c1e24')).toBeGreaterThanOrEqual(3);
    }
  });
});
