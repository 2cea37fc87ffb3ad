import { chmodSync, closeSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openNamed } from './beneath.ts';

test.skipIf(process.getuid?.() !== 0).for([
  [0o755, 'opened'],
  [0o775, /may change/],
  [0o757, /may change/],
] as const)('root follows a link only where nobody else may change it: in a folder of mode %o', ([mode, said]) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-beneath-'));
  const opened = (): string => {
    try {
      closeSync(openNamed(path.join(folder, 'way/link'), 'file'));
      return 'opened';
    } catch (error) {
      return (error as Error).message;
    }
  };
  try {
    writeFileSync(path.join(folder, 'file'), '');
    mkdirSync(path.join(folder, 'way'));
    symlinkSync('../file', path.join(folder, 'way/link'));
    chmodSync(path.join(folder, 'way'), mode);
    expect(opened()).toMatch(said);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
