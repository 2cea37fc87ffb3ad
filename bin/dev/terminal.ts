/** Lines of `svc dev` for who sits before the terminal; those of the backend are on the panel as well. */
import { color, moment, plain, safeForTerminal, write } from '../output.ts';
import type { Board } from './board.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { inTerminal } from './logs.ts';
import { createOnce } from './once.ts';

type Tone = 'good' | 'bad' | 'busy' | 'plain';

const colors = { good: 'green', bad: 'red', busy: 'yellow' } as const;

export interface Terminal {
  /** Prints an event, and the files it is about. */
  event(tone: Tone, text: string, files?: readonly string[]): void;
  /** A line that the backend wrote; with a person where several play. */
  log(source: 'app' | 'build', person: string, text: string): void;
  /** A line that it printed: while it is not up, once for each change. */
  run(person: string, text: string, isUp: boolean): void;
  /** A change is worked on. */
  begin(): void;
  /** How the backend of a person ended, as `note`, where it was not told already; on the panel as well. */
  crash(person: string, title: string, lines: readonly string[]): void;
  /** Without a time: what is said once, errors with their place. */
  note(text: string, tone?: Tone): void;
}

const filesShown = 3;

export function filesOf(files: readonly string[]): string {
  const rest = files.length - filesShown;
  return files.slice(0, filesShown).join(', ') + (rest > 0 ? ` +${rest}` : '');
}

export function createTerminal(board: Board, nowMs: () => number, several: boolean, language: TextLanguage): Terminal {
  const toned = (tone: Tone, text: string): string => (tone === 'plain' ? text : color(colors[tone], text));
  const stamp = (): string => color('dim', moment(nowMs(), nowMs()));
  const once = { terminal: createOnce(), board: createOnce() };
  const shown = (source: 'run' | 'app' | 'build', person: string, text: string): void =>
    write(
      `${stamp()}  ${color('dim', `${several ? `${person} ` : ''}${source === 'app' ? '┆' : '│'}`)} ${safeForTerminal(inTerminal(text, language))}\n`,
    );
  const onPanel = (source: 'run' | 'app' | 'build', person: string, text: string): void =>
    board.line({ source, person: several ? person : '', text });
  const note = (text: string, tone: Tone = 'plain'): void =>
    write(
      `${text
        .split('\n')
        .map(safeForTerminal)
        .map((line) => `  ${toned(tone, line)}`)
        .join('\n')}\n`,
    );
  return {
    event: (tone, text, files = []) => {
      const about = files.length === 0 ? '' : `${plain(filesOf(files))} → `;
      write(`${stamp()}  ${about}${toned(tone, plain(text))}\n`);
    },
    log: (source, person, text) => {
      shown(source, person, text);
      onPanel(source, person, text);
    },
    run: (person, text, isUp) => {
      const key = `${person} ${text}`;
      if (once.terminal.isNew(key) || isUp) shown('run', person, text);
      if (once.board.isNew(key) || isUp) onPanel('run', person, text);
    },
    begin: () => {
      once.terminal.begin();
      once.board.begin();
    },
    crash: (person, title, lines) => {
      const fresh = lines.filter((line) => once.terminal.isNew(`${person} ${line}`));
      if (fresh.length > 0) note([title, ...lines].join('\n'), 'bad');
      for (const line of lines) if (once.board.isNew(`${person} ${line}`)) onPanel('run', person, line);
    },
    note,
  };
}
