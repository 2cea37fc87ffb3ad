/**
 * `svc completion SHELL` and `svc complete -- WORDS…`, which its script calls: the first line says of what the rest is (`words`, `files`,
 * `folders`), then a word a line, and after a tab what it is. A portal that does not answer soon has no words; nothing is ever said.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createClient } from '../client.ts';
import { placeIn } from '../help/complete.ts';
import { sources, type Word } from '../help/values.ts';
import { limits } from '../limits.ts';
import { plain, write } from '../output.ts';

export async function runCompletion(shell: string): Promise<void> {
  write(await readFile(path.join(import.meta.dirname, `../help/svc.${shell}`), 'utf8'));
}

export async function runComplete(program: Command, words: readonly string[]): Promise<void> {
  const { value, typed, start, before, state, words: known } = placeIn(program, words);
  const source = value === null ? 'nothing' : (sources[value] ?? 'nothing');
  if (source === 'files' || source === 'folders') return write(`${source}\n`);
  const end = AbortSignal.timeout(limits.completionMsMax);
  const told = source === 'nothing' ? [] : await source({ portal: createClient(state, end), typed, before }).catch(() => []);
  const fitting = [...known, ...told].filter(({ text }) => text.startsWith(typed) && isOneWord(text));
  write(
    `words\n${fitting
      .slice(0, limits.completionsMax)
      .map((word) => line(word, start))
      .join('')}`,
  );
}

/** A shell puts it into the line as it is: nothing in it may mean anything there. */
const isOneWord = (text: string): boolean => /^[\p{L}\p{N}._/@+,=-]+$/u.test(text);

const line = ({ text, about }: Word, start: string): string => {
  const said = plain(about).trim();
  return `${start}${text}${said === '' ? '' : `\t${said}`}\n`;
};
