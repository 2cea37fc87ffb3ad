/** Lines about packages that can't be read: damaged is known to be wrong, unreadable is not known at all. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ListLine } from '../../schema/list-lines.ts';
import { listPackages } from './packages.ts';

async function listed(app: string, make: (file: string) => void): Promise<readonly ListLine[]> {
  const parent = mkdtempSync(join(tmpdir(), 'svc-list-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  mkdirSync(join(parent, app));
  make(join(parent, app, 'svc-app.json'));
  const lines: ListLine[] = [];
  await listPackages(parent, null, (line) => lines.push(line));
  return lines;
}

test.for([
  ['is no JSON', '{"id":'],
  ['lacks its version', '{"id":"notas","backend":{"runtime":"node","entrypoint":"main.js"}}'],
  ['is of another app', '{"id":"outra","version":"1.0.0","backend":{"runtime":"node","entrypoint":"main.js"}}'],
] as const)('a manifest that %s is bad: it can be put right', async ([, text]) => {
  const lines = await listed('notas', (file) => writeFileSync(file, text));
  expect(lines).toEqual([expect.objectContaining({ event: 'bad' })]);
  expect(lines[0]).not.toHaveProperty('unread');
});

test('a manifest that the system does not let us read may be as it was', async () => {
  const lines = await listed('notas', (file) => symlinkSync(file, file));
  expect(lines).toEqual([expect.objectContaining({ event: 'bad', unread: 'notas' })]);
});
