import { describe, expect, test } from 'vitest';
import { novidadesOf } from './judge-package.ts';
import { chooserOf } from './package-files.ts';

/** Goes in when it and all the folders above it do, as the walk asks. */
function goesIn(ignore: string, path: string): boolean {
  const chosen = chooserOf(ignore);
  const parts = path.split('/').filter((part) => part !== '');
  const folders = parts.slice(0, -1).map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
  return [...folders, path].every((one) => chosen(one));
}

describe('.svcignore', () => {
  test.for<readonly [ignore: string, path: string, isIn: boolean]>([
    ['', 'backend/main.py', true],
    ['', '.git/HEAD', false],
    ['', '.git', false],
    ['', '.svcignore', false],
    ['', '.env', false],
    ['', '.vscode/settings.json', false],
    ['', 'node_modules/svc/index.d.ts', false],
    ['', 'node_modules/svc-outra/index.js', true],
    ['', 'backend/.env', false],
    ['', 'backend/__pycache__/main.cpython-311.pyc', false],
    ['', 'backend/old.pyc', false],
    ['', 'node_modules/left-pad/index.js', true],
    ['', 'node_modules/.bin/left-pad', false],
    ['', 'frontend/node_modules/.bin/x', false],
    ['', 'backend/.bin/x', true],
    ['', '.venv/bin/python', false],
    ['', 'data/.venv/x', true],
    ['!.env', '.env', true],
    ['# tests\n\ntests/\r\n', 'tests/a.py', false],
    ['tests/', 'backend/tests/a.py', false],
    ['tests/', 'tests', true],
    ['/tests', 'backend/tests', true],
    ['/tests', 'tests/a.py', false],
    ['backend/tests', 'backend/tests/a', false],
    ['backend/tests', 'x/backend/tests/a', true],
    ['*.md', 'docs/a.md', false],
    ['*.md\n!README.md', 'README.md', true],
    ['docs\n!docs/a.md', 'docs/a.md', false],
    ['docs/*.md', 'docs/a.md', false],
    ['docs/*.md', 'docs/deep/a.md', true],
    ['docs/**/a.md', 'docs/a.md', false],
    ['docs/**/a.md', 'docs/deep/er/a.md', false],
    ['docs/**', 'docs/deep/b', false],
    ['**/x', 'a/b/x', false],
    ['a?c', 'abc', false],
    ['a?c', 'a/c', true],
    ['a.c', 'abc', true],
    ['a+(b)', 'a+(b)', false],
    ['x  ', 'x', false],
  ])('%j: %s -> %s', ([ignore, path, isIn]) => {
    expect(goesIn(ignore, path)).toBe(isIn);
  });

  test.for(['[ab]', 'a\\b', 'a//b', '../x', './x', 'x'.repeat(300), '\n'.repeat(2_000)])(
    'a line that is not understood is refused: %j',
    (text) => {
      expect(() => chooserOf(text)).toThrow(/\.svcignore/);
    },
  );

  test('no line takes long', () => {
    const chosen = chooserOf(`${'*a'.repeat(100)}\n${'**/a/'.repeat(40)}x`);
    const startedMs = performance.now();
    expect(chosen(`${'a/'.repeat(30)}${'a'.repeat(255)}b`)).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });
});

describe('novidades', () => {
  const changelog = '# Changes\n\n## [1.2.0] - 2026-11-01\n\n- new\n\n### More\n\n- deep\n\n## v1.1.0\n- old\n\n## 1.0.0-rc.1\n- first\n';
  test.for([
    ['1.2.0', '- new\n\n### More\n\n- deep'],
    ['1.1.0', '- old'],
    ['1.0.0-rc.1', '- first'],
    ['1.0.0', ''],
    ['2', ''],
  ])('of %s: %j', ([version, text]) => {
    expect(novidadesOf(changelog, version as string)).toBe(text);
  });

  test('a long one is cut', () => {
    const text = novidadesOf(`## 1.0.0\n${'é'.repeat(20_000)}`, '1.0.0');
    expect(text).toHaveLength(8_192);
    expect(text.endsWith('…')).toBe(true);
  });
});
