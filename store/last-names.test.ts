import { expect, test } from 'vitest';
import { createLastNames } from './last-names.ts';

test('the last ones are known, in whatever order they came again', () => {
  const names = createLastNames(2);
  for (const name of ['a', 'b', 'a', 'c']) names.add(name);
  expect(['a', 'b', 'c'].filter((name) => names.has(name))).toEqual(['a', 'c']);
});
