import { expect, test } from 'vitest';
import { createQuestions, type Question } from './questions.ts';

const question: Question = { kind: 'confirm', texto: 'Apagar?' };
const open = new AbortController().signal;

test('a question is answered by the person, and gone with its answer', async () => {
  const questions = createQuestions(() => 0);
  const answer = questions.ask('w1', question, open);
  expect(questions.state.get().get('w1')?.question).toBe(question);
  questions.state.get().get('w1')?.answer(true);
  expect(await answer).toBe(true);
  expect(questions.state.get().size).toBe(0);
});

test('there is one in a window; another window has its own', async () => {
  const questions = createQuestions(() => 0);
  void questions.ask('w1', question, open);
  await expect(questions.ask('w1', question, open)).rejects.toMatchObject({ code: 'pedidos-demais' });
  const other = questions.ask('w2', question, open);
  questions.state.get().get('w2')?.answer(false);
  expect(await other).toBe(false);
  expect([...questions.state.get().keys()]).toEqual(['w1']);
});

test('with its page the question goes, and answers null', async () => {
  const questions = createQuestions(() => 0);
  const page = new AbortController();
  const answer = questions.ask('w1', question, page.signal);
  page.abort();
  expect(await answer).toBeNull();
  expect(questions.state.get().size).toBe(0);
});

test('the eleventh within 50 s is refused, and one is taken again when the time is over', async () => {
  let nowMs = 0;
  const questions = createQuestions(() => nowMs);
  const once = async (): Promise<unknown> => {
    const answer = questions.ask('w1', question, open);
    questions.state.get().get('w1')?.answer(null);
    return await answer;
  };
  for (let n = 0; n < 10; n++) expect(await once()).toBeNull();
  await expect(once()).rejects.toMatchObject({ code: 'pedidos-demais' });
  nowMs = 50_000;
  expect(await once()).toBeNull();
});
