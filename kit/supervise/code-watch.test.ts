import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeWatch } from './code-watch.ts';

test('a kit that is exchanged makes the running supervisor outdated, one that is touched by nobody or away does not', ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-code-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (kit: string): string => {
    mkdirSync(join(folder, kit, 'bin'), { recursive: true });
    writeFileSync(join(folder, kit, 'bin/svc-app-supervisor'), '#!/bin/sh');
    writeFileSync(join(folder, kit, 'main.mjs'), kit);
    return join(folder, kit, 'main.mjs');
  };
  const code = write('kit-1');
  write('kit-2');
  const point = (kit: string): void => {
    symlinkSync(kit, join(folder, 'new'));
    renameSync(join(folder, 'new'), join(folder, 'current'));
  };
  point('kit-1');
  const command = join(folder, 'current/bin/svc-app-supervisor');
  const byLink = codeWatch(command, code);
  const byFile = codeWatch(undefined, code);
  expect([byLink(), byFile()]).toEqual([false, false]);
  point('kit-2');
  expect([byLink(), byFile()]).toEqual([true, false]);
  writeFileSync(`${code}.new`, 'kit-1');
  renameSync(`${code}.new`, code);
  expect(byFile()).toBe(true);
  // On its way to be replaced, or unreadable: nobody knows.
  rmSync(code);
  expect(byFile()).toBe(false);
});
