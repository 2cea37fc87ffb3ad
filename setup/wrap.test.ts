/** svc-wrap as servers get it: the same bytes from the same sources, small, and one of a build before only where it is of the same sources. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi, type MockInstance } from 'vitest';
import { wrapperPath } from '../kit/server/parts.ts';
import { makeWrappers } from './wrap.ts';

const processor = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const missing = (): string => '/nada/gcc';
const sources = (): string => {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-wrap-'));
  cpSync(path.resolve(import.meta.dirname, '../kit/wrap'), path.join(root, 'kit/wrap'), { recursive: true });
  return root;
};
const roots = [sources(), sources()] as const;
const made = (root: string): string => path.join(root, wrapperPath(processor));
let told: MockInstance<typeof console.warn>;
beforeEach(() => void (told = vi.spyOn(console, 'warn').mockReturnValue()));
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true });
});

test('without a compiler the package to install is told', async () => {
  expect(await makeWrappers(roots[0], missing)).toEqual([]);
  expect(told.mock.calls.flat().join('\n')).toMatch(/no svc-wrap for x86_64: .*gcc[\s\S]*no svc-wrap for aarch64: .*gcc/);
});

test('two folders give the same bytes: static, and below 2 MB', { timeout: 180_000 }, async () => {
  for (const root of roots) expect(await makeWrappers(root)).toContain(processor);
  const [first, second] = roots.map((root) => readFileSync(made(root)));
  expect(first?.equals(second!)).toBe(true);
  expect(statSync(made(roots[0])).size).toBeLessThan(2 * 1024 ** 2);
  expect(execFileSync('env', ['-i', made(roots[0]), '--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('without a compiler what was made of the same sources stays, of others goes; one without a part of its library is as none', async () => {
  const [root] = roots;
  expect(await makeWrappers(root, missing)).toContain(processor);
  // The other units would only be compiled for nothing.
  writeFileSync(path.join(root, 'kit/wrap/main.c'), '#include <nada.h>\n');
  for (const name of readdirSync(path.join(root, 'kit/wrap'))) if (/(?<!main)\.c$/.test(name)) rmSync(path.join(root, 'kit/wrap', name));
  expect(await makeWrappers(root, missing)).toEqual([]);
  expect(() => statSync(made(root))).toThrow('ENOENT');
  expect(await makeWrappers(root)).toEqual([]);
  expect(told.mock.calls.flat().join('\n')).toContain('nada.h');
});
