import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inputsFile, isCurrent, type Inputs } from './start.ts';

let folder: string;
const source = (): string => join(folder, 'bin/a.ts');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-bs-'));
  for (const path of ['bin/a.ts', inputsFile]) mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(source(), 'one');
  const { size, mtimeMs } = statSync(source());
  const made: Inputs = { inputs: [['bin/a.ts', size, mtimeMs]], outputs: [] };
  writeFileSync(join(folder, inputsFile), JSON.stringify(made));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a bundle is run', () => {
  test('while its sources are as they were', () => expect(isCurrent(folder)).toBe(true));

  test.for<[string, () => void]>([
    ['a source is longer', () => writeFileSync(source(), 'four')],
    ['a source was written again', () => utimesSync(source(), new Date(), new Date(Date.now() + 5_000))],
    ['a source has an older time, as after a checkout', () => utimesSync(source(), new Date(), new Date(1_000))],
    ['a source is gone', () => rmSync(source())],
    ['what it was made of is not told', () => rmSync(join(folder, inputsFile))],
    ['what it was made of is cut off', () => writeFileSync(join(folder, inputsFile), '{"inputs":[["bin')],
    ['what it was made of is another form', () => writeFileSync(join(folder, inputsFile), '[]')],
  ])('not when %s', ([, change]) => {
    change();
    expect(isCurrent(folder)).toBe(false);
  });
});
