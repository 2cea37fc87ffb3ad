import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sdkFolder } from './place.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'svcp-'));
  mkdirSync(path.join(base, '1.0.0-aaaaaaaa/sdk'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('the libraries of an installed kit are those of the current one, whatever the version that asks', () => {
  symlinkSync('1.0.0-aaaaaaaa', path.join(base, 'current'));
  symlinkSync('current/sdk', path.join(base, 'sdk'));
  expect(sdkFolder(path.join(base, '1.0.0-aaaaaaaa'))).toBe(path.join(base, 'sdk'));
});

test('a checkout has its own, also beside a plain folder of that name', () => {
  mkdirSync(path.join(base, 'sdk'));
  expect(sdkFolder(path.join(base, '1.0.0-aaaaaaaa'))).toBe(path.join(base, '1.0.0-aaaaaaaa/sdk'));
});
