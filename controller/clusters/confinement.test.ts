import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { confinementOf } from './local.ts';

test.for([
  ['bwrap: No permissions to create new namespace', 'plain'],
  ['bwrap: Creating new namespace failed: Resource temporarily unavailable', 'CLUSTER_UNREACHABLE'],
  ['', 'sized'],
] as const)('bubblewrap that says %j: %s', async ([said, expected], { onTestFinished }) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(path.join(dir, 'bwrap'), '');
  chmodSync(path.join(dir, 'bwrap'), 0o755);
  const run = async () => ({ code: said === '' ? 0 : 1, signal: null, said });
  const found = confinementOf(run, AbortSignal.timeout(1_000), `/nonexistent:${dir}`);
  expect(await found.catch(({ code }: { readonly code: string }) => code)).toBe(expected);
});
