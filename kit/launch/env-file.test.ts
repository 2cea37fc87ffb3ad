import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { parseEnvText, writeEnvText } from './env-file.ts';
import { LaunchRefused } from './refusal.ts';
import { amount } from '../../test/support/amount.ts';
import { anyCharacter } from '../../test/support/any-character.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof LaunchRefused) return `${error.refusal.reason}: ${error.refusal.message}`;
    throw error;
  }
  return 'accepted';
};

describe('the env file', () => {
  const name = fc.stringMatching(/^SVC_[A-Z0-9_]{1,60}$/);
  const value = fc.string({ unit: anyCharacter, maxLength: 200 }).filter((text) => !/[\n\r\0]/.test(text) && text.isWellFormed());

  test('comes back as it was written, whatever the values', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 40 }), (entries) => {
        expect([...parseEnvText(bytes(writeEnvText(new Map(entries))))]).toEqual(entries);
      }),
    );
  });

  test('whatever is in a name or a value: it is refused, or comes back as it was with no other variable', () => {
    const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const hostile = fc.oneof(
      value,
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            '\n',
            '\r',
            '\0',
            '=',
            ' ',
            '\t',
            '\u2028',
            '\u0085',
            "'",
            '"',
            '$(x)',
            'LD_PRELOAD=/x',
            'SVC_APP_TOKEN=y',
            '\\\n',
          ),
          { maxLength: 6 },
        )
        .map((parts) => parts.join('')),
    );
    const anyName = fc.oneof(name, hostile, fc.constantFrom('SVC_A', 'SVC_A=B', 'SVC_A\n', ' SVC_A', 'LD_PRELOAD', 'PATH', 'SVC_'));
    const counts = { written: 0, refused: 0, extra: 0 };
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(anyName, hostile), { selector: ([key]) => key, maxLength: 4 }), (entries) => {
        let text: string;
        try {
          text = writeEnvText(new Map(entries));
        } catch (error) {
          if (!(error instanceof LaunchRefused)) throw error;
          counts.refused += 1;
          return;
        }
        const read = [...parseEnvText(bytes(text))];
        counts.written += 1;
        counts.extra += Math.max(0, read.length - entries.length);
        expect(read).toEqual(entries);
      }),
      { seed, numRuns: amount(20_000) },
    );
    tellCount(
      `env file: ${counts.written + counts.refused} sets of variables, ${counts.refused} refused, ${counts.extra} extra variables, seed ${seed}`,
    );
    expect(counts.written).toBeGreaterThan(amount(1_000));
    expect(counts.refused).toBeGreaterThan(amount(1_000));
  });

  test('is text that a person can read', () => {
    expect(writeEnvText(new Map([['SVC_APP_TOKEN', "a b='#$"]]))).toBe("SVC_APP_TOKEN=a b='#$\n");
  });

  test.for([
    ['a newline', 'SVC_A', 'x\ny', 'the value of SVC_A holds a newline or a NUL'],
    ['a carriage return', 'SVC_A', 'x\ry', 'the value of SVC_A holds a newline or a NUL'],
    ['a NUL', 'SVC_A', 'x\0y', 'the value of SVC_A holds a newline or a NUL'],
    ['half a character', 'SVC_A', '\ud800', 'the value of SVC_A is not valid Unicode'],
    ['a name outside SVC_', 'LD_PRELOAD', 'x', '"LD_PRELOAD" is not a variable that the portal may set'],
    ['a lowercase name', 'SVC_a', 'x', '"SVC_a" is not a variable that the portal may set'],
    ['a long value', 'SVC_A', 'x'.repeat(70_000), 'larger than the limit'],
  ] as const)('refuses to write %s', ([, key, text, why]) => {
    expect(messageOf(() => writeEnvText(new Map([[key, text]])))).toBe(`InvalidEnvironment: the env file can't be written: ${why}`);
  });

  test.for([
    ['a cut line', 'SVC_A=1\nSVC_B=2', 'the last line is cut off'],
    ['a blank line', 'SVC_A=1\n\n', 'line 2 is not NAME=value with a name that the portal may set'],
    ['an export', 'export SVC_A=1\n', 'line 1 is not NAME=value with a name that the portal may set'],
    ['another name', 'PATH=/tmp\n', 'line 1 is not NAME=value with a name that the portal may set'],
    ['a name twice', 'SVC_A=1\nSVC_A=2\n', 'SVC_A occurs twice'],
    ['a NUL', 'SVC_A=1\0\n', 'the value of SVC_A holds a newline or a NUL'],
  ] as const)('refuses to read %s', ([, text, why]) => {
    expect(messageOf(() => parseEnvText(bytes(text)))).toBe(`EnvFileDamaged: the env file can't be used: ${why}`);
  });

  test('refuses bytes that are not UTF-8, and more than the limit', () => {
    expect(messageOf(() => parseEnvText(Uint8Array.of(0x53, 0xff, 0x0a)))).toContain('not UTF-8');
    expect(messageOf(() => parseEnvText(new Uint8Array(70_000)))).toContain('larger than the limit');
  });
});
