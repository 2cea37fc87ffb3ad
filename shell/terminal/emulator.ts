/** xterm.js with what the desktop adds: colours of the theme, size of its box, keys. Loaded with the first terminal. */
import { FitAddon } from '@xterm/addon-fit';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal, type ITheme } from '@xterm/xterm';
import type { TerminalColours } from '../../schema/wire/terminals.ts';
import { withoutControls } from './pasted.ts';
import './svc-style.ts';

export interface Emulator {
  readonly terminal: Terminal;
  /** Takes the size of its box; does nothing while that is hidden. */
  fit(): void;
  /** True: they are other colours now. */
  setDark(isDark: boolean): boolean;
  colours(): TerminalColours;
  close(): void;
}

/** Texts for a screen reader. */
export interface EmulatorTexts {
  readonly promptLabel: string;
  readonly tooMuchOutput: string;
}

const light = {
  background: '#fbfbfa',
  foreground: '#22262b',
  cursor: '#22262b',
  cursorAccent: '#fbfbfa',
  selectionBackground: '#b9d3f5',
  black: '#22262b',
  red: '#b42318',
  green: '#1f7a3a',
  yellow: '#8a5a00',
  blue: '#1f5fbf',
  magenta: '#8b3aa8',
  cyan: '#0b6e76',
  white: '#6b7280',
  brightBlack: '#5b6470',
  brightRed: '#d13c2f',
  brightGreen: '#2b8a48',
  brightYellow: '#9a6a0a',
  brightBlue: '#2f72d6',
  brightMagenta: '#a04fc0',
  brightCyan: '#0f808a',
  brightWhite: '#22262b',
} satisfies ITheme;

const dark: Required<typeof light> = {
  background: '#16191d',
  foreground: '#e4e7ea',
  cursor: '#e4e7ea',
  cursorAccent: '#16191d',
  selectionBackground: '#2f4a6d',
  black: '#3a4048',
  red: '#f47067',
  green: '#6bc46d',
  yellow: '#dbb15a',
  blue: '#6cb6ff',
  magenta: '#dcbdfb',
  cyan: '#56c8d8',
  white: '#c4cad1',
  brightBlack: '#8b949e',
  brightRed: '#ff938a',
  brightGreen: '#8ddb8c',
  brightYellow: '#f0ce83',
  brightBlue: '#96d0ff',
  brightMagenta: '#eedcff',
  brightCyan: '#8be3ef',
  brightWhite: '#ffffff',
};

const ansi = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const brightAnsi = [
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const;

/** Below it a terminal has no use: its box is hidden or about to be laid out. */
const leastColumns = 8;

export function createEmulator(box: HTMLElement, texts: EmulatorTexts): Emulator {
  const terminal = new Terminal({
    allowProposedApi: true,
    fontFamily: 'ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", Consolas, monospace',
    fontSize: 13,
    // It writes whole states about bytes that it does not know.
    logLevel: 'off',
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    scrollback: 1_000,
    theme: light,
  });
  Object.assign(Terminal.strings, texts);
  const fitter = new FitAddon();
  terminal.loadAddon(fitter);
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  leaveQuestionsToPortal(terminal);
  let theme = light;
  terminal.attachCustomKeyEventHandler((event) => !isOfDesktop(event) && !copies(event, terminal));
  terminal.open(box);
  takeTextWithoutKeys(terminal);
  takePasted(box, terminal);
  return {
    terminal,
    fit: () => {
      const wanted = fitter.proposeDimensions();
      if (wanted !== undefined && wanted.cols >= leastColumns && wanted.rows > 0) terminal.resize(wanted.cols, wanted.rows);
    },
    setDark: (isDark) => {
      const wanted = isDark ? dark : light;
      if (theme === wanted) return false;
      theme = wanted;
      terminal.options.theme = theme;
      return true;
    },
    colours: () => ({
      texto: theme.foreground,
      fundo: theme.background,
      cursor: theme.cursor,
      paleta: [...ansi, ...brightAnsi].map((name) => theme[name]),
    }),
    close: () => terminal.dispose(),
  };
}

/** F6 goes through the windows, as everywhere: the way out for the keyboard. */
const isOfDesktop = ({ key }: KeyboardEvent): boolean => key === 'F6';

/** Ctrl+C is the interrupt: with Shift it copies. */
function copies(event: KeyboardEvent, terminal: Terminal): boolean {
  if (event.type !== 'keydown' || !event.ctrlKey || !event.shiftKey || event.code !== 'KeyC' || !terminal.hasSelection()) return false;
  event.preventDefault();
  void navigator.clipboard?.writeText(terminal.getSelection());
  return true;
}

/** The portal's screen answers what programs ask: with two pages they would be answered twice. Source: docs/decisions/0225-terminals.md. */
function leaveQuestionsToPortal({ parser }: Terminal): void {
  const quiet = (): boolean => true;
  for (const id of [
    { final: 'c' },
    { prefix: '>', final: 'c' },
    { prefix: '=', final: 'c' },
    { final: 'n' },
    { prefix: '?', final: 'n' },
    { intermediates: '$', final: 'p' },
    { prefix: '?', intermediates: '$', final: 'p' },
    { prefix: '>', final: 'q' },
  ]) {
    parser.registerCsiHandler(id, quiet);
  }
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, quiet);
  // Colours are set here and asked for there (api/terminals/colour-questions.ts).
  for (const id of [4, 10, 11, 12]) parser.registerOscHandler(id, (data) => data.includes('?'));
}

/** A panel of emoji, dictation and some keyboards of phones send text and no key: xterm.js passes over it while it serves screen readers. */
function takeTextWithoutKeys(terminal: Terminal): void {
  const { textarea } = terminal;
  let isKeyDown = false;
  textarea?.addEventListener('keydown', () => void (isKeyDown = true), true);
  textarea?.addEventListener('keyup', () => void (isKeyDown = false), true);
  textarea?.addEventListener(
    'input',
    (event) => {
      const { data, inputType, isComposing } = event;
      if (inputType === 'insertText' && data !== null && !isComposing && !isKeyDown) terminal.input(withoutControls(data));
    },
    true,
  );
}

/** Replaces the paste of xterm.js, which would take the text as it is. A drop pastes, as in other terminals. */
function takePasted(box: HTMLElement, terminal: Terminal): void {
  const take = (event: Event, given: DataTransfer | null): void => {
    const pasted = given?.getData('text/plain') ?? '';
    event.preventDefault();
    event.stopPropagation();
    if (pasted !== '') terminal.paste(withoutControls(pasted));
  };
  box.addEventListener('paste', (event) => take(event, event.clipboardData), true);
  const isText = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('text/plain') === true;
  box.addEventListener('dragover', (event) => isText(event) && event.preventDefault(), true);
  box.addEventListener('drop', (event) => isText(event) && take(event, event.dataTransfer), true);
}
