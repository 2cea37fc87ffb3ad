import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../build/sdk/web');

/**
 * Files that every page loads, that the first `salas.entrar` loads, and the UI kit: docs/decisions/0102-rooms-in-the-page.md,
 * 0240-ui-kit.md
 */
test.for([
  ['svc.js', 15 * 1_024],
  ['salas.js', 25 * 1_024],
  ['ui/svc-ui.js', 27 * 1_024],
  ['ui/svc-ui.css', 2 * 1_024],
] as const)('%s is at most %i bytes with gzip', ([file, bytesMax]) => {
  expect(gzipSync(readFileSync(resolve(root, file)), { level: 9 }).length).toBeLessThanOrEqual(bytesMax);
});
