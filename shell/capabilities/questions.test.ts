import { expect, test } from 'vitest';
import { createQuestions, type Question } from './questions.ts';

const offer = (app: string): Question['ofertas'][number] => ({ app, nome: app, rotulo: app });
const question: Question = { de: 'leitor', capacidade: 'dicionario/v1', ofertas: [offer('dicionario')] };
const other: Question = { ...question, de: 'notas' };
const never = new AbortController().signal;

test('ten calls that wait for the same answer are one question', async () => {
  const questions = createQuestions(() => 0);
  let shown = 0;
  questions.shown.subscribe(() => (shown += 1));
  const asked = Array.from({ length: 10 }, async () => await questions.ask({ ...question }, never));
  expect(shown).toBe(1);
  questions.answer(question, { kind: 'sim', para: 'dicionario', duracao: 'sempre' });
  expect(new Set((await Promise.all(asked)).map(({ kind }) => kind))).toEqual(new Set(['sim']));
  expect(questions.shown.get()).toBeNull();
});

test('another question is shown when the first was answered', async () => {
  const questions = createQuestions(() => 0);
  const [first, second] = [questions.ask(question, never), questions.ask(other, never)];
  expect(questions.shown.get()).toEqual(question);
  questions.answer(question, { kind: 'nao' });
  expect(await first).toEqual({ kind: 'nao' });
  expect(questions.shown.get()).toEqual(other);
  questions.answer(other, { kind: 'fechada' });
  expect(await second).toEqual({ kind: 'fechada' });
});

test('a question that no call waits for any longer is taken away, and not before', async () => {
  const questions = createQuestions(() => 0);
  const [one, two] = [new AbortController(), new AbortController()];
  const calls = [questions.ask(question, one.signal), questions.ask(question, two.signal)];
  one.abort();
  expect(questions.shown.get()).toEqual(question);
  two.abort();
  expect(questions.shown.get()).toBeNull();
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('closed twice within a minute it is not asked for a minute, and that of another app is', async () => {
  let nowMs = 0;
  const questions = createQuestions(() => nowMs);
  for (let closing = 0; closing < 2; closing += 1) {
    const asked = questions.ask(question, never);
    expect(questions.shown.get()).toEqual(question);
    questions.answer(question, { kind: 'fechada' });
    expect(await asked).toEqual({ kind: 'fechada' });
  }
  expect(await questions.ask(question, never)).toEqual({ kind: 'fechada' });
  expect(questions.shown.get()).toBeNull();
  void questions.ask(other, never);
  expect(questions.shown.get()).toEqual(other);
  questions.answer(other, { kind: 'nao' });
  nowMs = 60_000;
  void questions.ask(question, never);
  expect(questions.shown.get()).toEqual(question);
});
