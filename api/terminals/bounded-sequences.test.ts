import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TerminalSize } from '../../schema/terminals.ts';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { boundSequences } from './bounded-sequences.ts';
import { createEmulator } from './emulator.ts';
import { limits } from './limits.ts';

const small: TerminalSize = { columns: 40, rows: 12 };

const finals = '@ABCDEFGHIJKLMPSTXZ^`abcdefghlmnpqrstu}~'.split('');
const character = fc.constantFrom(...Array.from('abc xyz\n\r\t\b\u0301\u{1F600}漢é\u0085\u009C\u0018\u001A\u007F\u000E\u000F'));
/** Characters in the middle of a sequence: controls that are carried out there, and those that end it. */
const within = fc.oneof({ weight: 8, arbitrary: fc.constant('') }, { weight: 1, arbitrary: character });
const numbers = (max: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.integer({ min: 0, max }).map(String), fc.constantFrom('', '0', '007')), { maxLength: 4 })
    .map((all) => all.join(';'));
const sequence = (max: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('\u001B', '\u001B\n', '\u009B'),
      fc.constantFrom('', '', '', '?', '>', '='),
      numbers(max),
      within,
      fc.constantFrom('', '', '', '', ' ', "'", '$', '!', '#'),
      fc.constantFrom(...finals),
    )
    .map(([begin, prefix, params, middle, intermediate, final]) => {
      const introducer = begin === '\u009B' ? begin : `${begin}[`;
      return `${introducer}${prefix}${params}${middle}${intermediate}${final}`;
    });
const others = fc.constantFrom(
  '\u001B]0;title\u0007',
  '\u001B]8;;http://x\u001B\\',
  '\u001BPq\u001B[5;5Hx\u001B\\',
  '\u001B_a\u001B[3Lb\u001B\\',
  '\u001B(0',
  '\u001B7',
  '\u001B8',
  '\u001BM',
  '\u001BD',
  '\u001Bc',
  '\u001B#8',
  '\u001B#',
  '\u001B',
  '\u001B[',
  '\u009D2;a\u009C',
);
const printed = (max: number): fc.Arbitrary<Buffer> =>
  fc.array(fc.oneof(character, { weight: 3, arbitrary: sequence(max) }, others), { maxLength: 40 }).map((all) => Buffer.from(all.join('')));

async function screenOf(pieces: readonly Uint8Array[], size: TerminalSize): Promise<{ readonly text: string; readonly msMax: number }> {
  const emulator = createEmulator({ size, reply: () => undefined, onTitle: () => undefined });
  let msMax = 0;
  for (const piece of pieces) {
    const begun = performance.now();
    await new Promise<void>((resolve) => emulator.write(piece, resolve));
    msMax = Math.max(msMax, performance.now() - begun);
  }
  const text = emulator.text();
  emulator.close();
  return { text, msMax };
}

test('what fits on the screen is drawn as if it had not been looked at, however it comes in pieces', async () => {
  await fc.assert(
    fc.asyncProperty(printed(12), fc.array(fc.nat(200), { maxLength: 4 }), async (bytes, cuts) => {
      const bound = boundSequences(() => small);
      const ends = [...cuts.filter((at) => at < bytes.length).toSorted((a, b) => a - b), bytes.length];
      const pieces = ends.flatMap((end, at) => bound(bytes.subarray(ends[at - 1] ?? 0, end)));
      // The beginning of a sequence is kept back: both end here.
      const end = Buffer.from('\u0018.');
      const seen = await screenOf([...pieces, ...bound(end)], small);
      expect(seen.text).toBe((await screenOf([bytes, end], small)).text);
    }),
    { numRuns: amount(400, 20_000) },
  );
}, 3_600_000);

test('no number is larger than the screen where an emulator would repeat something so often, and no sequence is longer than its bound', async () => {
  const large: TerminalSize = { columns: 500, rows: 200 };
  /** Each of them; what goes before decides where it is drawn. */
  const times = 5;
  let sequences = 0;
  await fc.assert(
    fc.asyncProperty(printed(2 ** 31 - 1), async (bytes) => {
      sequences += times * bytes.filter((byte) => byte === 0x1b || byte === 0x9b).length;
      const pieces = boundSequences(() => large)(Buffer.concat(Array.from({ length: times }, () => bytes)));
      const text = Buffer.concat(pieces).toString();
      for (const [, params = '', intermediate = '', final = ''] of text.matchAll(/\u001B\[([0-9:;<=>?]*)([ -/]*)([@-~])/g)) {
        const largest = Math.max(0, ...params.split(/[^\d]/).map(Number));
        const isRepeated = 'bIZ@PXLMST^'.includes(final) && intermediate === '';
        expect(largest).toBeLessThanOrEqual(isRepeated ? 500 : 65_535);
        expect(params.length + intermediate.length).toBeLessThanOrEqual(limits.terminalSequenceCharsMax);
      }
      await screenOf(pieces, large);
    }),
    { numRuns: amount(300, 50_000) },
  );
  tellCount(`terminals: ${sequences} sequences with numbers up to 2³¹ bounded and drawn, each ${times} times`);
  expect(sequences).toBeGreaterThan(amount(1_000, 1_000_000));
}, 3_600_000);

test.each([
  ['lines that are inserted', '\u001B[2147483647L'],
  ['the same by a C1 control', '\u009B2147483647L'],
  ['with a control in the middle', '\u001B[21474\n83647L'],
  ['after a control', '\u001B\n[2147483647L'],
  ['a character of marks, repeated', `a${'\u0301'.repeat(30)}\u001B[2147483647b`],
  ['within a string that it ends', '\u001BP1;1q\u001B[2147483647M'],
  ['at each second number', '\u001B[1;2147483647S\u001B[2147483647;1S'],
])('%s: an emulator draws each piece of it while a page would not stand still', async (_, bytes) => {
  const size: TerminalSize = { columns: 500, rows: 200 };
  const pieces = boundSequences(() => size)(Buffer.from(bytes.repeat(20)));
  // Without the bound each takes minutes, or throws.
  expect((await screenOf(pieces, size)).msMax).toBeLessThan(5_000);
});

test('a sequence without end keeps nothing, and what follows it is drawn', async () => {
  const bound = boundSequences(() => small);
  const pieces = Array.from({ length: 100 }, () => bound(Buffer.from(`\u001B[${';1'.repeat(50_000)}`))).flat();
  expect(pieces).toEqual([]);
  expect(Buffer.concat([...bound(Buffer.from('mabc'))]).toString()).toBe('abc');
});

test('a character with many marks is repeated only as often as it fits; one with few as often as there are columns', () => {
  const printed = (...pieces: readonly string[]): string => {
    const read = boundSequences(() => small);
    return pieces.flatMap((piece) => read(Buffer.from(piece))).reduce((all, bytes) => all + Buffer.from(bytes).toString('latin1'), '');
  };
  const marks = (count: number): string => 'a' + '\u0301'.repeat(count);
  expect(printed(marks(60_000), '\u001B[2147483647b', 'FIM').endsWith('\u0081FIM')).toBe(true);
  expect(printed(marks(4_000).slice(0, 2_000), marks(4_000).slice(2_000), '\u001B[9999b').endsWith('\u001B[2b')).toBe(true);
  expect(printed(`${marks(30)}\u001B[9999b`).endsWith('\u001B[40b')).toBe(true);
  expect(printed(`${marks(60_000)}x\u001B[9999b`).endsWith('x\u001B[40b')).toBe(true);
});
