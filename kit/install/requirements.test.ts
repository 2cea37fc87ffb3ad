import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { checkCapabilities } from './requirements.ts';

test('an installed app that can not be read now may offer what is required', ({ onTestFinished }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest: Manifest = { id: 'a', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'm.js' }, requires: ['mapa/v1'] };
  const check = (parent: string) => () => checkCapabilities(manifest, [parent], new Map());
  expect(check(path.join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'MISSING_CAPABILITY' }) as Error);
  mkdirSync(path.join(folder, 'notas'));
  expect(check(folder)).toThrow(expect.objectContaining({ code: 'MISSING_CAPABILITY' }) as Error);
  symlinkSync('svc-app.json', path.join(folder, 'notas/svc-app.json'));
  expect(check(folder)).toThrow(expect.objectContaining({ code: 'ELOOP' }) as Error);
});
