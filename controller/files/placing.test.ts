import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutName, numbered } from './placing.ts';

const whole = new TextDecoder('utf-8', { fatal: true });

test('a name that is made shorter ends between two characters, whatever they are', () => {
  const character = fc.constantFrom('a', 'é', '字', '😀', '.', ' ');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 300 }), fc.nat(300), fc.boolean(), (text, bytesMax, isFolder) => {
      const name = Buffer.from(text);
      const short = cutName(name, bytesMax);
      expect(text.startsWith(whole.decode(short))).toBe(true);
      expect(short.length).toBeGreaterThan(Math.min(name.length, bytesMax) - 4);
      expect(short.length).toBeLessThanOrEqual(bytesMax);
      const second = numbered(cutName(name, 255), 2, isFolder);
      expect(whole.decode(second)).toContain(' (2)');
      expect(second.length).toBeLessThanOrEqual(255);
    }),
  );
});

test('bytes that are no text are cut where they have to be', () => {
  expect(cutName(Buffer.alloc(300, 0x80), 255)).toHaveLength(255);
});
