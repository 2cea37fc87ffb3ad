import { expect, test } from 'vitest';
import { installedBy, installedSentence, sentenceOf } from './terminal-log.ts';

const line = (fields: object): string => JSON.stringify({ level: 30, time: 1_800_000_000_000, msg: 'words', ...fields });
const said = (fields: object): string | null => sentenceOf(line(fields), 1_800_000_001_000)?.replace(/^[\d:]{8} {2}/, '') ?? null;

test('who sits before a terminal reads errors as the files show them, and what is meant for people; never JSON', () => {
  const errors = ['a.yaml:2:7 UNKNOWN_KIND unknown kind "Persn"\n 2 | kind: Persn\n   |       ^^^^^'];
  expect(said({ level: 50, msg: 'the folder has errors', errors })).toBe(`the folder has errors\n${errors[0]}\n`);
  expect(said({ tell: true, msg: 'the errors of the folder are mended' })).toBe('the errors of the folder are mended\n');
  expect(said({ level: 40, tell: true, held: ['Person/bia', 'Person/caio'] })).toBe('words\n  Person/bia\n  Person/caio\n');
  expect(said({ level: 50, key: 'Backend/ana/notas', err: { message: 'a\u001b[2Jb' } })).toBe('words: Backend/ana/notas: ab\n');
  expect(said({ level: 40 })).toBeNull();
  expect(said({})).toBeNull();
});

test('a long list ends with how many more there are', () => {
  const held = Array.from({ length: 25 }, (_, n) => `Person/p${n}`);
  expect(said({ tell: true, held })?.split('\n').slice(20, 23)).toEqual(['  Person/p19', '  and 5 more', '']);
});

test('what failed is told with the command that says more, and what was installed by name', () => {
  const transition = { msg: 'transition', key: 'Package/notas', from: 'installing' };
  const failed = { ...transition, level: 40, to: 'failed', reason: 'InstallFailed', message: 'no\nspace' };
  expect(said(failed)).toBe('Package/notas failed: InstallFailed: no space (svc why Package/notas)\n');
  expect(said({ ...failed, message: 'x'.repeat(900) })?.length).toBeLessThan(400);
  expect(said({ ...transition, to: 'installing' })).toBeNull();
  expect(installedBy(line({ ...transition, to: 'installed' }))).toBe('notas');
  expect(installedBy(line({ ...transition, key: 'Backend/ana/notas', to: 'running' }))).toBeNull();
  const names = Array.from({ length: 22 }, (_, n) => `p${n}`);
  expect(installedSentence(names, 1_800_000_000_000)).toMatch(/ {2}installed: p0, p1, .*p19, and 2 more\n$/);
});
