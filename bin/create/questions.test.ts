import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openQuestions } from './questions.ts';

function asked() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const questions = openQuestions(input, output.setEncoding('utf8'));
  return { input, questions };
}

test('an empty answer is what is offered, and what was typed ahead is not lost', async () => {
  const { input, questions } = asked();
  input.write('\n b \n');
  expect(await questions.text('Id', 'a')).toBe('a');
  expect(await questions.text('Id', 'a')).toBe('b');
  questions.end();
});

test('a choice is taken by number or by name', async () => {
  const { input, questions } = asked();
  const among = [
    ['um', 'one'],
    ['dois', 'two'],
  ] as const;
  for (const [line, chosen] of [
    ['3\n2', 'dois'],
    ['um', 'um'],
    ['', 'um'],
  ] as const) {
    const answer = questions.choice('Which', among);
    input.write(`${line}\n`);
    expect(await answer).toBe(chosen);
  }
  questions.end();
});

test('the end of the input is a cancellation, also of what is asked after it', async () => {
  const { input, questions } = asked();
  const waiting = questions.text('Id', '');
  input.end();
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(questions.text('Id', '')).rejects.toMatchObject({ code: 'CANCELLED' });
});
