import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { hasPage } from './links.ts';

test('an engine has a window only with a page of its own', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-dw-'));
  const app: Manifest = { id: 'ola', version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'backend/main.py' } };
  const engine: Manifest = { ...app, type: 'engine' };
  expect([hasPage(app, dir), hasPage(engine, dir)]).toEqual([true, false]);
  mkdirSync(path.join(dir, 'frontend'));
  expect(hasPage(engine, dir)).toBe(true);
  rmSync(dir, { recursive: true });
});
