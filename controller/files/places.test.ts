import { expect, test } from 'vitest';
import { FileFault } from './file-fault.ts';
import type { FileSystem } from './file-system.ts';
import { deskFolderOf, foldersIn } from './places.ts';

const home = Buffer.from('/home/ana');

test.for<readonly [string, string | undefined]>([
  ['XDG_DESKTOP_DIR="$HOME/Mesa"', '/home/ana/Mesa'],
  [' \t XDG_DESKTOP_DIR="$HOME/Mesa///"', '/home/ana/Mesa'],
  ['XDG_DESKTOP_DIR="/srv/mesa \\"a\\""', '/srv/mesa "a"'],
  ['XDG_DESKTOP_DIR="$HOME"', '/home/ana'],
  ['XDG_DESKTOP_DIR="$HOME/a"\nXDG_DESKTOP_DIR="$HOME/b"', '/home/ana/b'],
  ['# XDG_DESKTOP_DIR="$HOME/a"', undefined],
  ['XDG_DESKTOP_DIR="$HOME/a\nb"', undefined],
  ['XDG_DESKTOP_DIR="$HOME/a\0b"', undefined],
  ['XDG_OTHER_DIR="$HOME/a"', undefined],
])('%j: the desktop is %s', ([text, path]) => {
  expect(foldersIn(text, home).get('desktop')?.toString()).toBe(path);
});

const bytes = 64 * 1_024;
test.for<readonly [string, string]>([
  ['newlines', '\n'.repeat(bytes)],
  ['blanks', ' '.repeat(bytes)],
  ['lines of blanks', ' \t\n'.repeat(bytes / 3)],
  ['slashes', `XDG_DESKTOP_DIR="${'/'.repeat(bytes - 50)}x"`],
  ['backslashes', `XDG_DESKTOP_DIR="${'\\'.repeat(bytes - 50)}`],
  ['names', 'XDG_'.repeat(bytes / 4)],
])('a file full of %s is read in one pass', { timeout: 3_000 }, ([, text]) => {
  expect(foldersIn(text, home).size).toBeLessThanOrEqual(1);
});

test.for([
  ['ENOENT', null],
  ['EACCES', null],
  ['EIO', 'EIO'],
  ['EFAIL', 'EFAIL'],
] as const)('a desk folder whose look ends with %s', async ([errno, expected]) => {
  const refuse = (): Promise<never> => Promise.reject(new FileFault(errno));
  const found = deskFolderOf({ open: refuse, stat: refuse } as unknown as FileSystem, Buffer.from(home));
  expect(await found.catch((error: FileFault) => error.errno)).toBe(expected);
});
