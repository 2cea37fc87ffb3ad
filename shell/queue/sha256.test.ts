import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSha256 } from './sha256.ts';

const ours = (pieces: readonly Uint8Array[]): string => {
  const hash = createSha256();
  for (const piece of pieces) hash.add(piece);
  return hash.digest();
};

test('is the SHA-256 of the standard for "abc" and for nothing', () => {
  expect(ours([Buffer.from('abc')])).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(ours([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

test('is that of Node for every length around the blocks, in pieces of any size', () => {
  for (const length of [1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000, 70_001]) {
    const bytes = randomBytes(length);
    const wanted = createHash('sha256').update(bytes).digest('hex');
    for (const size of [1, 7, 64, 65, 100_000]) {
      const pieces = Array.from({ length: Math.ceil(length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
      expect(ours(pieces), `${length} in pieces of ${size}`).toBe(wanted);
    }
  }
});
