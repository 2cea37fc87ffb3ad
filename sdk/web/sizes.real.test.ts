import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../build/sdk/web');

/** What every page loads, and what the first `salas.entrar` loads. The second is above the 16 KB that were asked for: docs/decisions/0102-rooms-in-the-page.md */
test.for([
  ['svc.js', 15 * 1_024],
  ['salas.js', 23 * 1_024],
] as const)('%s is at most %i bytes with gzip', ([file, bytesMax]) => {
  expect(gzipSync(readFileSync(resolve(root, file)), { level: 9 }).length).toBeLessThanOrEqual(bytesMax);
});
