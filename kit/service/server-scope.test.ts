import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { entryOf } from './server-scope.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'svc-'));
  vi.stubEnv('PATH', `${dir}:${process.env['PATH']}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

test.for([
  [2, null],
  [3, 'INTERNAL'],
] as const)('getent that ends with %i: %s', async ([code, expected]) => {
  writeFileSync(path.join(dir, 'getent'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
  expect(await entryOf('root').catch((error: { readonly code: string }) => error.code)).toBe(expected);
});
