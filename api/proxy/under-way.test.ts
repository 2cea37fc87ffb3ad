import { expect, test } from 'vitest';
import { createUnderWay } from './under-way.ts';

test('who comes is a member once, who leaves is none, in any order', () => {
  const list = createUnderWay<{ place: number; readonly name: string }>();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ place: -1, name })) as [never, never, never] & { place: number; name: string }[];
  for (const item of [a, b, a, c]) list.add(item);
  expect(list.count()).toBe(3);
  list.delete(a);
  list.delete(a);
  expect(
    list
      .all()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['b', 'c']);
  list.delete(c);
  list.delete(b);
  expect(list.all()).toEqual([]);
  list.add(b);
  expect(list.all()).toEqual([b]);
});

test('all of now are told, also of who leaves while they are', () => {
  const list = createUnderWay<{ place: number }>();
  for (let n = 0; n < 5; n += 1) list.add({ place: -1 });
  let told = 0;
  for (const item of list.all()) {
    told += 1;
    list.delete(item);
  }
  expect([told, list.count()]).toEqual([5, 0]);
});
