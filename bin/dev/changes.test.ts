import { describe, expect, test } from 'vitest';
import { chooserOf } from '../../kit/repository/publishing/package-files.ts';
import { changeOf, isIgnored, isSource, merged, partOf, sourceOf } from './changes.ts';
import { wordsOf } from '../../test/support/words.ts';

describe('what a file is', () => {
  test.for([
    ['svc-app.json', 'manifest'],
    ['frontend/index.html', 'page'],
    ['frontend/js/a.js', 'page'],
    ['frontend/css/a.css', 'styles'],
    ['backend/main.py', 'backend'],
    ['backend/svc-app.json', 'backend'],
    ['icon.svg', 'backend'],
    ['frontend.py', 'backend'],
  ] as const)('%s is of the %s', ([file, part]) => expect(partOf(file)).toBe(part));
});

describe('what does not count', () => {
  const ships = chooserOf('rascunho/\n*.md\n!leia.md\n');
  test.for(
    wordsOf(`
    .git/ .git/HEAD backend/.main.py.swp backend/main.py~ backend/#main.py# backend/4913 backend/main.py.tmp frontend/sed33ADx4
    backend/main.py___jb_tmp___ backend/__pycache__/ backend/__pycache__/main.cpython-311.pyc node_modules/
    node_modules/left-pad/index.js backend/node_modules/a.js data/notas.json .venv/bin/python venv/ test/a.test.js README.md
    rascunho/a.py backend/nota.md
  `),
  )('%s', (file) => expect(isIgnored(file, ships)).toBe(true));

  test.for([
    'backend/main.py',
    'frontend/data/a.json',
    'backend/leia.md',
    'svc-app.json',
    'backend/',
    'backend/sedentary',
    'frontend/test/a.js',
    'a b/ç.py',
  ])('%s counts', (file) => expect(isIgnored(file, ships)).toBe(false));
});

test('of several bursts nothing is lost and nothing is done twice', () => {
  const styles = changeOf(['frontend/a.css'], 5);
  const page = changeOf(['frontend/a.html', 'frontend/a.css'], 3);
  const backend = changeOf(['backend/main.py'], 4);
  expect(merged(null, styles)).toEqual({
    files: ['frontend/a.css'],
    source: false,
    manifest: false,
    backend: false,
    page: 'styles',
    sinceMs: 5,
  });
  expect(merged(styles, backend)).toEqual({
    files: ['frontend/a.css', 'backend/main.py'],
    source: false,
    manifest: false,
    backend: true,
    page: 'styles',
    sinceMs: 4,
  });
  expect(merged(styles, page)).toMatchObject({ files: ['frontend/a.css', 'frontend/a.html'], page: 'page', sinceMs: 3 });
  expect(merged(backend, changeOf(['svc-app.json'], 9))).toMatchObject({ manifest: true, backend: true, page: 'no' });
});

test('source is what is in no package and no noise', () => {
  const ships = chooserOf('/backend/src/\n/build.sh\n/target/\n*.o\nREADME.md\n');
  const source = ['build.sh', 'backend/src/main.c', 'backend/src/'];
  const other = [
    'backend/app',
    'target/debug/x',
    'backend/src/main.o',
    'backend/src/.main.c.swp',
    'README.md',
    'test/test.sh',
    '.svcignore',
  ];
  expect([...source, ...other].filter((file) => isSource(file, ships))).toEqual(source);
  expect(merged(changeOf(['backend/app'], 2), sourceOf(['build.sh'], 1))).toMatchObject({ source: true, backend: true, sinceMs: 1 });
});
