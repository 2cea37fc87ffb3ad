import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, detect, encode, encodings, type Decoded } from './encoding.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
const open = (raw: Uint8Array): Decoded => {
  const found = detect(raw);
  if (found === null) throw new Error('no text');
  return decode(raw, found);
};

describe('what a file is', () => {
  test.for([
    ['', 'utf-8', false, '\n', ''],
    ['olá\nmundo\n', 'utf-8', false, '\n', 'olá\nmundo\n'],
    ['a\r\nb\r\n', 'utf-8', false, '\r\n', 'a\nb\n'],
    ['a\rb', 'utf-8', false, '\r', 'a\nb'],
    ['a\r\nb\n', 'utf-8', false, 'mixed', 'a\r\nb\n'],
  ] as const)('%j', ([raw, encoding, mark, lineEnd, text]) => {
    expect(open(Buffer.from(raw))).toEqual({ text, format: { encoding, mark, lineEnd }, isLossy: false });
  });

  test('by its mark, by its zeros, or because it is no UTF-8', () => {
    expect(open(bytes([0xef, 0xbb, 0xbf], 'é')).format).toMatchObject({ encoding: 'utf-8', mark: true });
    expect(open(bytes([0xff, 0xfe, 0xe9, 0x00]))).toMatchObject({ text: 'é', format: { encoding: 'utf-16le', mark: true } });
    expect(open(bytes([0xfe, 0xff, 0x00, 0xe9]))).toMatchObject({ text: 'é', format: { encoding: 'utf-16be', mark: true } });
    expect(open(Buffer.from('plain text', 'utf16le')).format).toMatchObject({ encoding: 'utf-16le', mark: false });
    expect(open(bytes('pre', [0xe7], 'o ', [0x80], ' 5'))).toMatchObject({ text: 'preço € 5', format: { encoding: 'windows-1252' } });
  });

  test.for([
    ['a PNG', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]],
    ['a zero in text', [0x61, 0x62, 0, 0x63, 0x64]],
    ['controls', [0xff, 0x01, 0x02, 0x61]],
    ['controls in UTF-8', [0x01, 0x02, 0x03, 0x61]],
  ] as const)('%s is no text', ([, raw]) => expect(detect(Uint8Array.from(raw))).toBe(null));
});

describe('written back', () => {
  test('every text that is opened comes back byte by byte', () => {
    const comesBack = fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
        fc.array(fc.constantFrom('a', 'é', '\r', '\n', '\r\n', ' ')).map((parts) => Buffer.from(parts.join(''), 'latin1')),
        fc.array(fc.constantFrom('a', '😀', '\r\n')).map((parts) => bytes([0xff, 0xfe], [...Buffer.from(parts.join(''), 'utf16le')])),
      ),
      (raw) => {
        const found = detect(raw);
        fc.pre(found !== null);
        const { text, format, isLossy } = decode(raw, found);
        return isLossy || Buffer.from(encode(text, format) ?? []).equals(Buffer.from(raw));
      },
    );
    expect(() => fc.assert(comesBack, { numRuns: 2_000 })).not.toThrow();
  });

  test('any bytes at all come back from windows-1252, which is what "open anyway" offers', () => {
    const all = Uint8Array.from({ length: 512 }, (_, at) => at % 256);
    const { text, format, isLossy } = decode(all, { encoding: 'windows-1252', mark: false });
    expect(isLossy).toBe(false);
    expect(encode(text, format)).toEqual(all);
  });

  test('a character that the encoding lacks is not lost in silence, and half a UTF-16 is said', () => {
    expect(encode('5 € – 日本', { encoding: 'windows-1252', mark: false, lineEnd: '\n' })).toBe(null);
    expect(encode('5 €', { encoding: 'windows-1252', mark: false, lineEnd: '\n' })).toEqual(Uint8Array.from([0x35, 0x20, 0x80]));
    expect(decode(Uint8Array.from([0x61, 0x00, 0x62]), { encoding: 'utf-16le', mark: false }).isLossy).toBe(true);
    for (const encoding of encodings) expect(encode('', { encoding, mark: false, lineEnd: '\n' })).toEqual(new Uint8Array());
  });
});
