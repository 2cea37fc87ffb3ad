import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;

test('no more than so many, then in order; who leaves takes no turn; a turn is given back once', async () => {
  const turns = createTurns(2);
  const [first, second] = [await turns.take(never), await turns.take(never)];
  const got: string[] = [];
  const leaving = new AbortController();
  const left = turns.take(leaving.signal);
  const third = turns.take(never).then((give) => (got.push('third'), give));
  const fourth = turns.take(never).then((give) => (got.push('fourth'), give));
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  first();
  first();
  await third;
  expect(got).toEqual(['third']);
  second();
  await fourth;
  expect(got).toEqual(['third', 'fourth']);
});
