import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hashOf, isPlainlyLinear, judged, judgedAll, madeExpressions, writtenExpressions, type Expression } from './expressions.ts';

const known = new Set(JSON.parse(readFileSync(path.join(import.meta.dirname, 'judged-expressions.json'), 'utf8')) as readonly string[]);

const written = writtenExpressions();
const made = madeExpressions();

test('no regular expression of the product takes more than linear time (node setup/judge-expressions.ts)', async () => {
  const all = [...written.expressions, ...(await made)];
  // So many there are: a look that finds none proves nothing.
  expect(all.length).toBeGreaterThan(800);
  const fresh = all.filter((one) => !isPlainlyLinear(one) && !known.has(hashOf(one)));
  const found: string[] = [];
  await judgedAll(fresh, (_, what) => {
    if (what !== null) found.push(what);
  });
  expect(found).toEqual([]);
});

test('what only running tells is made by modules that are run', async () => {
  const places = new Set((await made).map(({ at }) => at));
  expect(written.unread.filter((at) => !places.has(at))).toEqual([]);
});

const bad: readonly (readonly [source: string, flags: string])[] = [
  ['^\\s*X', 'gm'],
  ['\\s+$', ''],
  ['^(a+)+$', ''],
  ['^(?<a>.*) \\((?<b>.*)\\)$', ''],
];

test.for(bad)('/%s/%s is found', async ([source, flags]) => {
  const one: Expression = { source, flags, at: 'here' };
  expect(isPlainlyLinear(one)).toBe(false);
  expect(await judged(one)).toMatch(/polynomial|exponential/);
});

test.for([
  ['^[ \\t]*X', 'gm'],
  ['^\\d{1,64}$', ''],
])('/%s/%s is not', async ([source = '', flags = '']) => {
  expect(await judged({ source, flags, at: 'here' })).toBeNull();
});
