/** Questions on a terminal, one line each: a list is numbered, so that a screen reader and a slow connection do as well as anybody. */
import { createInterface } from 'node:readline';
import { SvcError } from '../../schema/errors.ts';

export interface Questions {
  /** The answer, or what an empty one stands for. */
  readonly text: (question: string, otherwise: string) => Promise<string>;
  /** Asks for an item of the list, by its number or its name. */
  readonly choice: <T extends string>(question: string, among: readonly (readonly [T, string])[]) => Promise<T>;
  /** A line that is no question. */
  readonly say: (line: string) => void;
  readonly end: () => void;
}

/** Opens the questions. Each rejects CANCELLED at Ctrl-C and at the end of the input. */
export function openQuestions(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Questions {
  const lines = createInterface({ input, output });
  /** Lines that were typed ahead. */
  const typed: string[] = [];
  const source = { isOver: false };
  let wake = (): void => {};
  lines.on('line', (line) => (typed.push(line), wake()));
  lines.once('close', () => ((source.isOver = true), wake()));
  const ask = async (question: string): Promise<string> => {
    lines.setPrompt(question);
    if (!source.isOver) lines.prompt();
    while (typed.length === 0 && !source.isOver) await new Promise<void>((resolve) => (wake = resolve));
    const line = typed.shift();
    if (line !== undefined) return line.trim();
    output.write('\n');
    throw new SvcError('CANCELLED', 'nothing was written');
  };
  const text: Questions['text'] = async (question, otherwise) =>
    (await ask(`${question}${otherwise === '' ? '' : ` (${otherwise})`}: `)) || otherwise;
  const choice: Questions['choice'] = async (question, among) => {
    const width = Math.max(...among.map(([name]) => name.length));
    output.write(`${question}\n${among.map(([name, about], at) => ` ${at + 1}  ${name.padEnd(width)}  ${about}\n`).join('')}`);
    for (;;) {
      const answer = await text(`1-${among.length}`, '1');
      const found = among.find(([name], at) => name === answer || String(at + 1) === answer);
      if (found !== undefined) return found[0];
    }
  };
  return { text, choice, say: (line) => void output.write(`${line}\n`), end: () => lines.close() };
}
