/**
 * The screen of a terminal, kept by the same emulator that the page has. It also answers the questions of programs (where is the cursor, which
 * terminal are you), so that they are answered once, however many pages look. It lives in a thread (screen-thread.ts): its work and memory depend on
 * the output of programs.
 */
import headless from '@xterm/headless';
import serialize from '@xterm/addon-serialize';
import * as unicode from '@xterm/addon-unicode11';
import type { TerminalSize } from '../../schema/terminals.ts';
import type { TerminalColours } from '../../schema/wire/terminals.ts';
import { answerColours } from './colour-questions.ts';
import { limits } from './limits.ts';

export interface Emulator {
  /** Calls back once the bytes are on the screen. */
  write(bytes: Uint8Array | string, done: () => void): void;
  resize(size: TerminalSize): void;
  /** From now on programs that ask get these; before that nothing. */
  show(colours: TerminalColours | null): void;
  /** The screen and what is above it, as what a terminal would have to print to show them; less of what is above where that is too much. */
  text(): string;
  close(): void;
}

export interface EmulatorDeps {
  readonly size: TerminalSize;
  /** An answer to a program. */
  readonly reply: (text: string) => void;
  readonly onTitle: (title: string) => void;
}

/** Cuts a title, which may be megabytes, without leaving half of a character. */
const cutTitle = (title: string): string => title.slice(0, limits.terminalTitleCharsMax).replace(/[\uD800-\uDBFF]$/, '');

export function createEmulator({ size, reply, onTitle }: EmulatorDeps): Emulator {
  const terminal = new headless.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: limits.terminalScrollbackLines,
    allowProposedApi: true,
    // It writes whole states about bytes that it does not know.
    logLevel: 'off',
  });
  const serializer = new serialize.SerializeAddon();
  terminal.loadAddon(serializer);
  // How many columns a character takes: as in the page (shell/terminal/emulator.ts), or the two show different screens.
  terminal.loadAddon(new unicode.default.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  let colours: TerminalColours | null = null;
  answerColours(terminal, () => colours, reply);
  terminal.onData(reply);
  terminal.onTitleChange((title) => onTitle(cutTitle(title)));
  return {
    write: (bytes, done) => terminal.write(bytes, done),
    resize: ({ columns, rows }) => terminal.resize(columns, rows),
    show: (now) => {
      colours = now;
    },
    text: () => {
      for (const scrollback of [limits.terminalScrollbackLines, limits.terminalScrollbackLines / 10, 0]) {
        const text = serializer.serialize({ scrollback });
        if (text.length <= limits.terminalScreenCharsMax) return text;
      }
      return '';
    },
    close: () => terminal.dispose(),
  };
}
