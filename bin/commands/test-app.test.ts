import { expect, test } from 'vitest';
import { checks, type CheckId, fail, type Finding, notApplicable, notJudged, pass } from '../test-app/check.ts';
import { asLines } from './test-app.ts';

const ids = Object.keys(checks) as CheckId[];
const lines = (of: (id: CheckId) => Finding, language: 'pt' | 'en' = 'en') =>
  asLines({ findings: ids.map((id) => [id, of(id)] as const) }, language)
    .trimEnd()
    .split('\n');

test.for(['pt', 'en'] as const)('what passed is said in words (%s), and nothing reads as if something was missing', (language) => {
  const said = lines((id) => (id === 'capabilities' ? notApplicable('não oferece nenhuma', 'offers none') : pass()), language);
  expect(said.filter((line) => !/^(?:ok|-) [\w-]+: .{8,}$/.test(line))).toEqual([
    language === 'en' ? '21 of 21 checks ok; 1 does not apply' : '21 de 21 verificações ok; 1 não se aplica',
  ]);
  expect(new Set(said).size).toBe(said.length);
});

test('what was not judged is one line, below what failed and its mend', () => {
  const words = { pt: 'x', en: 'x' };
  const said = lines((id) => (id === 'manifest' ? pass() : id === 'files' ? fail(words, { pt: 'y', en: 'make x' }) : notJudged('z', 'z')));
  expect(said.slice(0, 2)).toEqual(['ok manifest: svc-app.json has no mistakes', 'FAIL files: x | mend: make x']);
  expect(said[2]).toMatch(/^\? not judged, since it needs what failed: install-command, start, .*, package$/);
  expect(said.slice(3)).toEqual(['1 of 22 checks ok, 1 failed, 20 not judged']);
});
