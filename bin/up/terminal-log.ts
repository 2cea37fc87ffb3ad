/** What `svc up` says to who sits before a terminal: errors and what is marked with `tell`, as sentences. A service gets JSON lines. */
import { color, moment, plain, safeForTerminal } from '../output.ts';

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly tell?: boolean;
  readonly key?: string;
  /** Several lines each: place, code, the line of the file and a caret. */
  readonly errors?: readonly string[];
  readonly held?: readonly string[];
  readonly err?: { readonly message?: string };
}

const errorLevel = 50;
const namesMax = 20;

/** Null: nothing for a person to read. */
export function sentenceOf(text: string, nowMs: number): string | null {
  const line = JSON.parse(text) as Line;
  if (line.level < errorLevel && line.tell !== true) return null;
  const tone = line.level >= errorLevel ? 'red' : line.level >= 40 ? 'yellow' : 'green';
  const about = [line.key, line.err?.message].filter((part) => part !== undefined && part !== '').map((part) => `: ${plain(part ?? '')}`);
  const head = `${color('dim', moment(line.time, nowMs), process.stderr)}  ${color(tone, plain(line.msg), process.stderr)}${about.join('')}`;
  const held = line.held ?? [];
  const names = held.length > namesMax ? [...held.slice(0, namesMax), `and ${held.length - namesMax} more`] : held;
  const below = [...(line.errors ?? []).map(safeForTerminal), ...names.map((name) => `  ${plain(name)}`)];
  return `${[head, ...below].join('\n')}\n`;
}

/** A destination for pino. */
export function terminalLog(): { write(text: string): void } {
  return {
    write: (text) => {
      const sentence = sentenceOf(text, Date.now());
      if (sentence !== null) process.stderr.write(sentence);
    },
  };
}
