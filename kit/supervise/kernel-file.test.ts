import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelFile } from './kernel-file.ts';

test('each call answers what the file holds then, however long it grew', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svct-'));
  const path = join(folder, 'list');
  try {
    const read = kernelFile(path);
    expect(read()).toBeNull();
    writeFileSync(path, 'one\n');
    expect(read()?.toString()).toBe('one\n');
    appendFileSync(path, 'two\n'.repeat(200_000));
    expect(read()?.toString()).toBe(readFileSync(path, 'utf8'));
    writeFileSync(path, 'three\n');
    expect(read()?.toString()).toBe('three\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no more is read than the part with the line, and all of it when there is none', () => {
  const part = kernelFile('/proc/vmstat', '\nnr_free_pages_')();
  const whole = kernelFile('/proc/vmstat', '\nno such line ')();
  const text = readFileSync('/proc/vmstat', 'latin1');
  expect(kernelFile('/proc/vmstat', '\noom_kill ')()?.toString('latin1')).toMatch(/^oom_kill [0-9]+$/m);
  expect(whole?.toString('latin1').split('\n').length).toBe(text.split('\n').length);
  expect(part?.length).toBeLessThanOrEqual(whole?.length ?? 0);
});
