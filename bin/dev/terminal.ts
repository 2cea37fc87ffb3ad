/** Lines of `svc dev` for who sits before the terminal; those of the backend are on the panel as well. */
import { color, moment, plain, safeForTerminal, write } from '../output.ts';
import type { Board } from './board.ts';

type Tone = 'good' | 'bad' | 'busy' | 'plain';

const colors = { good: 'green', bad: 'red', busy: 'yellow' } as const;

export interface Terminal {
  /** What happened, and to which files. */
  event(tone: Tone, text: string, files?: readonly string[]): void;
  /** A line that the backend wrote; with a person where several play. */
  log(source: 'run' | 'app', person: string, text: string): void;
  /** Without a time: what is said once, errors with their place. */
  note(text: string, tone?: Tone): void;
}

const filesShown = 3;

export function filesOf(files: readonly string[]): string {
  const rest = files.length - filesShown;
  return files.slice(0, filesShown).join(', ') + (rest > 0 ? ` +${rest}` : '');
}

export function createTerminal(board: Board, nowMs: () => number, several: boolean): Terminal {
  const toned = (tone: Tone, text: string): string => (tone === 'plain' ? text : color(colors[tone], text));
  const stamp = (): string => color('dim', moment(nowMs(), nowMs()));
  return {
    event: (tone, text, files = []) => {
      const about = files.length === 0 ? '' : `${plain(filesOf(files))} → `;
      write(`${stamp()}  ${about}${toned(tone, plain(text))}\n`);
    },
    log: (source, person, text) => {
      write(`${stamp()}  ${color('dim', `${several ? `${person} ` : ''}${source === 'run' ? '│' : '┆'}`)} ${safeForTerminal(text)}\n`);
      board.line({ source, person: several ? person : '', text });
    },
    note: (text, tone = 'plain') =>
      write(
        `${text
          .split('\n')
          .map(safeForTerminal)
          .map((line) => `  ${toned(tone, line)}`)
          .join('\n')}\n`,
      ),
  };
}
