/** The sentences of the terminal in English. Part of en.ts. */
import type { ptTerminal } from './pt-terminal.ts';

export const enTerminal: { readonly [K in keyof typeof ptTerminal]: string } = {
  'terminal.tabs': 'Terminals',
  'terminal.number': 'Terminal {n}',
  'terminal.new': 'New terminal',
  'terminal.close': 'End {titulo}',
  'terminal.none': 'No terminal is open.',
  'terminal.opening': 'Opening a terminal…',
  'terminal.away': 'No connection to the terminal. Trying again…',
  'terminal.lost':
    'The portal could not keep what this screen showed. The terminal goes on; a page opened later shows only what comes from now on.',
  'terminal.exited': 'The shell ended with code {codigo}.',
  'terminal.killed': 'The shell was ended by the signal {sinal}.',
  'terminal.cut': 'The connection to the server was cut, and the shell ended with it.',
  'terminal.gone': 'This terminal is not there any more: the portal was restarted, or it was ended in another page.',
  'terminal.input': 'Terminal input',
  'terminal.tooMuch': 'Too much output to announce: use the arrows to go through the lines',
  'terminal.keys': 'Keys of the terminal',
  'terminal.up': 'Arrow up',
  'terminal.down': 'Arrow down',
  'terminal.left': 'Arrow left',
  'terminal.right': 'Arrow right',
};
