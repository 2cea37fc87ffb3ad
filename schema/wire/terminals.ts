/** Terminals as the portal's HTTP API and `/ws/terminais/<id>` say them. Times in ms since the epoch. Decision: docs/decisions/0225-terminals.md */
import { terminalColumnsMax, terminalRowsMax } from '../terminals.ts';
import { type Wire, closed, count, list, nullable, orNull, text } from '../static.ts';

const columns = { type: 'integer', minimum: 2, maximum: terminalColumnsMax } as const;
const rows = { type: 'integer', minimum: 1, maximum: terminalRowsMax } as const;

export const terminalId = { type: 'string', pattern: '^t[0-9a-f]{24}$' } as const;
export const terminalParams = closed({ id: terminalId });
export const terminalBody = closed({ colunas: columns, linhas: rows });
export type TerminalBody = Wire<typeof terminalBody>;
/** `pasta`: where it begins, by its exact path; absent: in the home. */
export const terminalOpenBody = closed({ colunas: columns, linhas: rows, pasta: { type: 'string', minLength: 1, maxLength: 12_288 } }, [
  'colunas',
  'linhas',
]);
export type TerminalOpenBody = Wire<typeof terminalOpenBody>;

/** `codigo` and `sinal` null: the connection to the server broke off. */
export const terminalEnd = closed({ codigo: nullable('integer'), sinal: nullable('string') });
export type TerminalEnd = Wire<typeof terminalEnd>;

export const terminalView = closed({
  id: terminalId,
  /** Title that a program in the terminal set; '' for none. */
  titulo: text,
  abertoEm: count,
  /** Null while the shell runs. */
  fim: orNull(terminalEnd),
  /** Pages that show it now. */
  paginas: count,
});
export type TerminalView = Wire<typeof terminalView>;
export const terminalsAnswer = closed({ terminais: list(terminalView), maximo: count });

const colour = { type: 'string', pattern: '^#[0-9a-f]{6}$' } as const;
/** The colours that a page draws with; programs ask for them. `paleta`: the sixteen of ANSI. */
export const terminalColours = closed({
  texto: colour,
  fundo: colour,
  cursor: colour,
  paleta: { type: 'array', items: colour, minItems: 16, maxItems: 16 },
});
export type TerminalColours = Wire<typeof terminalColours>;

/** The text frames of a page; what is typed comes as binary frames. */
export const terminalOrder = closed({ tamanho: terminalBody, cores: terminalColours }, ['tamanho']);
export type TerminalOrder = Wire<typeof terminalOrder>;

/**
 * The text frames to a page: first `tela`, the size of the screen, whose content is the next binary frame; `titulo` when it changes; `perdida`
 * when the portal had to give its screen up, so that a page that comes later finds less; `fim` as the last one.
 */
export type TerminalNews =
  | { readonly tela: TerminalBody }
  | { readonly titulo: string }
  | { readonly perdida: true }
  | { readonly fim: TerminalEnd };
