/** Programs ask a terminal for its colours (OSC 4, 10, 11, 12 with `?`), mostly to know whether it is dark. Source: XTerm Control Sequences */
import type { Terminal } from '@xterm/headless';
import type { TerminalColours } from '../../schema/wire/terminals.ts';

/** `colours` null: nobody knows, and no answer is true. Sequences that set a colour are left to the page, which draws. */
export function answerColours({ parser }: Terminal, colours: () => TerminalColours | null, reply: (text: string) => void): void {
  const say = (what: string, colour: string | undefined): void => {
    if (colour !== undefined) reply(`\u001B]${what};${spelled(colour)}\u001B\\`);
  };
  // A sequence may ask for several colours: the second question is for the next number.
  const named: readonly (keyof TerminalColours & ('texto' | 'fundo' | 'cursor'))[] = ['texto', 'fundo', 'cursor'];
  for (const [first] of named.entries()) {
    parser.registerOscHandler(10 + first, (data) => {
      for (const [index, each] of data.split(';', named.length - first).entries()) {
        const name = named[first + index];
        if (each === '?' && name !== undefined) say(String(10 + first + index), colours()?.[name]);
      }
      return true;
    });
  }
  parser.registerOscHandler(4, (data) => {
    const parts = data.split(';', 32);
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const number = parts[at] ?? '';
      if (parts[at + 1] === '?' && /^\d{1,2}$/.test(number)) say(`4;${Number(number)}`, colours()?.paleta[Number(number)]);
    }
    return true;
  });
}

/** `#a1b2c3` as `rgb:a1a1/b2b2/c3c3`. */
const spelled = (colour: string): string => `rgb:${[1, 3, 5].map((at) => colour.slice(at, at + 2).repeat(2)).join('/')}`;
