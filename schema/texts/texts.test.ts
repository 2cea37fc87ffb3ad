import { expect, test } from 'vitest';
import { startSteps } from '../backend.ts';
import { errorKinds } from '../errors.ts';
import { reasons, reasonTexts } from '../reasons/derived.ts';
import { problemText } from './problems.ts';
import { stepTexts } from './reasons.ts';

test.for([
  ['reason', reasonTexts, reasons],
  ['step', stepTexts, startSteps],
] as const)('every %s has words in both languages', ([, texts, names]) => {
  expect(Object.keys(texts).sort()).toEqual([...names].sort());
  for (const { pt, en } of Object.values(texts)) expect([pt, en]).not.toContain('');
});

test.for(Object.keys(errorKinds))('the error code %s has words in both languages', (code) => {
  expect(problemText(code, 'pt')).toMatch(/\S/);
  expect(problemText(code, 'en')).toMatch(/\S/);
  expect(problemText(code, 'pt')).not.toBe(problemText(code, 'en'));
});

test('a code of somebody else has none', () => {
  expect(problemText('toString', 'pt')).toBeNull();
});
