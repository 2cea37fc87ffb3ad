/**
 * What a terminal shows, kept by the same emulator that the page has: a page that comes back gets the screen with its scrollback as text,
 * whatever program is on it. It also answers the questions of programs (where is the cursor, which terminal are you), so that they are answered
 * once, however many pages look.
 */
import type { TerminalSize } from '../../schema/terminals.ts';
import type { TerminalColours } from '../../schema/wire/terminals.ts';
import { answerColours } from './colour-questions.ts';
import { limits } from './limits.ts';

export interface Screen {
  /** Calls back once the bytes are on the screen. */
  write(bytes: Uint8Array, done: () => void): void;
  resize(size: TerminalSize): void;
  size(): TerminalSize;
  /** From now on programs that ask hear these; before that nothing. */
  show(colours: TerminalColours): void;
  /** The screen and what is above it, as what a terminal would have to print to show them. */
  text(): string;
  close(): void;
}

export interface ScreenDeps {
  readonly size: TerminalSize;
  /** An answer to a program. */
  readonly reply: (text: string) => void;
  readonly onTitle: (title: string) => void;
}

/** Of megabytes only the first are looked at; no half of a character. */
const cutTitle = (title: string): string => title.slice(0, limits.terminalTitleCharsMax).replace(/[\uD800-\uDBFF]$/, '');

export async function createScreen({ size, reply, onTitle }: ScreenDeps): Promise<Screen> {
  // Some megabytes that a portal without terminals does not need.
  const [{ default: headless }, { default: serialize }, { default: unicode }] = await Promise.all([
    import('@xterm/headless'),
    import('@xterm/addon-serialize'),
    import('@xterm/addon-unicode11'),
  ]);
  const terminal = new headless.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: limits.terminalScrollbackLines,
    allowProposedApi: true,
  });
  const serializer = new serialize.SerializeAddon();
  terminal.loadAddon(serializer);
  // How many columns a character takes: as in the page (shell/terminal/emulator.ts), or the two show different screens.
  terminal.loadAddon(new unicode.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  let colours: TerminalColours | null = null;
  answerColours(terminal, () => colours, reply);
  terminal.onData(reply);
  terminal.onTitleChange((title) => onTitle(cutTitle(title)));
  return {
    write: (bytes, done) => terminal.write(bytes, done),
    resize: ({ columns, rows }) => terminal.resize(columns, rows),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    show: (now) => {
      colours = now;
    },
    text: () => serializer.serialize(),
    close: () => terminal.dispose(),
  };
}
