import { expect, test } from 'vitest';
import { createTypedName } from './typed-name.ts';

test('letters that follow each other are one beginning, from where the list is; after a pause something else is looked for', () => {
  let nowMs = 0;
  const name = createTypedName(() => nowMs);
  expect(name.isUnderWay()).toBe(false);
  expect(name.add('a', 4)).toEqual({ prefix: 'a', from: 5 });
  nowMs = 900;
  expect(name.isUnderWay()).toBe(true);
  expect(name.add('t', 7)).toEqual({ prefix: 'at', from: 7 });
  expect([name.isOf('at'), name.isOf('a')]).toEqual([true, false]);
  nowMs = 1_800;
  expect(name.add(' ', 7)).toEqual({ prefix: 'at ', from: 7 });
  nowMs = 2_900;
  expect(name.isUnderWay()).toBe(false);
  expect(name.add('b', 7)).toEqual({ prefix: 'b', from: 8 });
});

test('the same letter again goes on to the next name with it', () => {
  const name = createTypedName(() => 0);
  expect([name.add('a', 0), name.add('a', 1), name.add('a', 2)]).toEqual([
    { prefix: 'a', from: 1 },
    { prefix: 'a', from: 2 },
    { prefix: 'a', from: 3 },
  ]);
  expect(name.add('b', 3)).toEqual({ prefix: 'aaab', from: 3 });
});
