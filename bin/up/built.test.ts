import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { builtFiles, requireBuild } from './built.ts';

test('a checkout that was not built, or half, is refused with the line that builds it', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'svcb-'));
  try {
    for (const file of builtFiles) {
      expect(() => requireBuild(root)).toThrow(
        `${file} is not there: this svc was not built; build it with: (cd ${root} && sh setup/ready.sh start)`,
      );
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), '');
    }
    requireBuild(root);
  } finally {
    rmSync(root, { recursive: true });
  }
});
