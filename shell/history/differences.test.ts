import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differences, shortened, type Differences, type Stretch } from './differences.ts';

const bounds = { linesMsMax: 1_000, wordsMsMax: 1_000, wordsCharsMax: 1_000 };
/** As `same{+added}[-removed]`. */
const written = (stretches: readonly Stretch[]): string =>
  stretches
    .map((stretch) => {
      if (stretch.kind === 'gap') return `<${stretch.chars}>`;
      return { same: stretch.text, added: `{+${stretch.text}}`, removed: `[-${stretch.text}]` }[stretch.kind];
    })
    .join('');
const side = ({ stretches }: Differences, without: Stretch['kind']): string =>
  stretches.map((stretch) => (stretch.kind === 'gap' || stretch.kind === without ? '' : stretch.text)).join('');

describe('what changed', () => {
  test.for([
    ['a b c', 'a x c', 'a [-b]{+x} c'],
    ['um\ndois\n', 'um\ndois\ntrês\n', 'um\ndois\n{+três\n}'],
    ['um\ndois\ntrês', 'um\ntrês', 'um\n[-dois\n]três'],
    ['O gato dorme.', 'O cão dorme.', 'O [-gato]{+cão} dorme.'],
    // A sentence for another one is no hail of words.
    ['fica\nvelho texto ruim\n', 'fica\nboa frase nova\n', 'fica\n[-velho texto ruim]{+boa frase nova}\n'],
    ['igual', 'igual', 'igual'],
    ['', 'novo', '{+novo}'],
    ['', '', ''],
  ] as const)('from %j to %j', ([before, after, expected]) => {
    const found = differences(before, after, bounds);
    expect([written(found.stretches), found.by]).toEqual([expected, 'words']);
  });

  test('both texts can be read in it, whatever they are', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'ç', ' ', ' ', '\n', '.', '😀'), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, words, (before, after) => {
        const found = differences(before, after, bounds);
        expect([side(found, 'added'), side(found, 'removed')]).toEqual([before, after]);
      }),
    );
  });

  test.for([
    ['no time for words', { wordsMsMax: -1 }, '[-a b\n]{+a c\n}fim', 'lines'],
    ['more characters than are compared by words', { wordsCharsMax: 7 }, '[-a b\n]{+a c\n}fim', 'lines'],
    ['no time for lines', { linesMsMax: -1 }, 'a c\nfim', null],
  ] as const)('with %s it is coarser, and says so', ([, less, expected, by]) => {
    const found = differences('a b\nfim', 'a c\nfim', { ...bounds, ...less });
    expect([written(found.stretches), found.by]).toEqual([expected, by]);
  });

  test('two large texts that have nothing in common are given up in time', () => {
    const text = (seed: number): string => Array.from({ length: 100_000 }, (_, at) => `${(at * seed) % 7_919}`).join('\n');
    const begun = performance.now();
    expect(differences(text(7), text(11), { ...bounds, linesMsMax: 50 }).by).toBeNull();
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

describe('what is drawn', () => {
  const same = (chars: number): Stretch => ({ kind: 'same', text: 'x'.repeat(chars) });
  const added: Stretch = { kind: 'added', text: 'novo' };
  const sizes = (stretches: readonly Stretch[]): readonly (readonly [string, number])[] =>
    stretches.map((stretch) => [stretch.kind, stretch.kind === 'gap' ? stretch.chars : stretch.text.length]);

  test('a text that fits is whole', () => {
    const whole = [same(900), added, same(96)];
    expect(shortened(whole, 1_000)).toBe(whole);
  });

  test('of a longer one the changes, with some of what is around them', () => {
    expect(sizes(shortened([same(9_000), added, same(5_000), added, same(700)], 8_000))).toEqual([
      ['gap', 8_400],
      ['same', 600],
      ['added', 4],
      ['same', 600],
      ['gap', 3_800],
      ['same', 600],
      ['added', 4],
      ['same', 600],
      ['gap', 100],
    ]);
  });

  test('where that is too long, or nothing is compared, its beginning', () => {
    expect(sizes(shortened([same(9_000)], 1_000))).toEqual([
      ['same', 1_000],
      ['gap', 8_000],
    ]);
    const long: Stretch = { kind: 'removed', text: 'y'.repeat(5_000) };
    expect(sizes(shortened([long, added], 1_000))).toEqual([
      ['removed', 1_000],
      ['gap', 4_004],
    ]);
    expect(shortened(Array.from({ length: 9_999 }, () => added)).length).toBeLessThan(5_000);
  });
});
