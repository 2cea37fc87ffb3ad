import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packSource } from './pack-source.ts';

test('a package that can not be read now is not missing', async ({ onTestFinished }) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  symlinkSync('loop', path.join(dir, 'loop'));
  const pack = (name: string) => packSource({ kind: 'folder', path: path.join(dir, name) }, dir);
  await expect(pack('loop')).rejects.toMatchObject({ code: 'FILES_UNREADABLE' });
  await expect(pack('none')).rejects.toMatchObject({ code: 'PACKAGE_SOURCE_MISSING' });
});
