/** svc-wrap as servers get it: the same bytes from the same sources, small, and one of a build before only where it is of the same sources. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { wrapperPath } from '../kit/server/parts.ts';
import { makeWrappers } from './wrap.ts';

const processor = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const missing = (): string => '/nada/gcc';
const folders: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function sources(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-wrap-'));
  folders.push(root);
  cpSync(path.resolve(import.meta.dirname, '../kit/wrap'), path.join(root, 'kit/wrap'), { recursive: true });
  return root;
}
const made = (root: string): string => path.join(root, wrapperPath(processor));

test('two folders give the same bytes: static, and below 2 MB', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const roots = [sources(), sources()];
  for (const root of roots) expect(await makeWrappers(root)).toContain(processor);
  const [first, second] = roots.map((root) => readFileSync(made(root)));
  expect(first?.equals(second!)).toBe(true);
  expect(statSync(made(roots[0]!)).size).toBeLessThan(2 * 1024 ** 2);
  expect(execFileSync('env', ['-i', made(roots[0]!), '--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('without a compiler: what was made of the same sources stays, of others goes, and the package to install is told', async () => {
  const told = vi.spyOn(console, 'warn').mockReturnValue();
  const root = sources();
  expect(await makeWrappers(root, missing)).toEqual([]);
  expect(told.mock.calls.flat().join('\n')).toMatch(/no svc-wrap for x86_64: .*gcc[\s\S]*no svc-wrap for aarch64: .*gcc/);
  await makeWrappers(root);
  expect(await makeWrappers(root, missing)).toContain(processor);
  appendFileSync(path.join(root, 'kit/wrap/main.c'), '#include <nada.h>\n');
  expect(await makeWrappers(root, missing)).toEqual([]);
  expect(() => statSync(made(root))).toThrow('ENOENT');
  // A compiler without a part of its library is as none.
  expect(await makeWrappers(root)).toEqual([]);
  expect(told.mock.calls.flat().join('\n')).toContain('nada.h');
});
