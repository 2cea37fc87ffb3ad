import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooserOf } from '../../kit/repository/publishing/package-files.ts';
import { buildLine, leftOut } from './left-out.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'svcl-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), '{}');
  }
}

test('sources that the package leaves out are found, and neither what is shipped nor what is no source', async () => {
  write('src/main.ts', 'src/ui/App.vue', 'backend/src/main.c', 'backend/main.py', 'frontend/app.js', 'src/notes.md', 'test/a.test.ts');
  write('node_modules/x/i.ts', '.cache/a.ts', 'shipped/types.ts');
  expect(await leftOut(folder, chooserOf('/src/\n/backend/src/\n'))).toEqual(['backend/src/main.c', 'src/main.ts', 'src/ui/App.vue']);
  expect(await leftOut(folder, chooserOf(''))).toEqual([]);
});

test('the line that mends it is the build of the project where it has one', () => {
  expect(buildLine(folder)).toBe(`echo 'COMMAND' > build.sh`);
  write('Makefile');
  expect(buildLine(folder)).toBe(`echo make > build.sh`);
  writeFileSync(path.join(folder, 'package.json'), '{"scripts":{"build":"vite build"}}');
  expect(buildLine(folder)).toBe(`echo 'npm run build' > build.sh`);
  writeFileSync(path.join(folder, 'package.json'), '{');
  expect(buildLine(folder)).toBe(`echo make > build.sh`);
});
