/**
 * The verbs that ask the person something, use the clipboard, or report what the server gave the app. Rules 2.1 and 4.3 name those of the GPU; rules
 * 7 the others.
 */
import { flag, line, lines, listOf, optional, route, text } from './check.ts';
import { limits } from './limits.ts';
import { askedOrNull, askedOrOwn, inPage } from './verb.ts';

/** The cards that the launcher gave the running backend. */
export interface GpuGrant {
  readonly concedida: boolean;
  readonly dispositivos: readonly GpuCard[];
  readonly motivo: string;
}
export interface GpuCard {
  readonly dispositivo: string;
  readonly fornecedor: string;
  readonly modelo: string;
  readonly driver: string;
}

const texto = lines(limits.questionCharsMax, limits.questionLinesMax);
const word = optional(line(limits.questionButtonCharsMax));

export const personVerbs = {
  /** Asks yes or no over the window. Null: put away with Esc, or the window closed. */
  'dialogo.confirmar': askedOrOwn<
    { readonly texto: string; readonly sim?: string; readonly nao?: string; readonly perigo?: boolean },
    boolean | null
  >('boolean | null', { args: { texto }, options: { sim: word, nao: word, perigo: optional(flag) }, deadlineMs: null }),
  /** Asks for a line of text, with `valor` in the field. */
  'dialogo.perguntar': askedOrOwn<{ readonly texto: string; readonly valor?: string }, string | null>('string | null', {
    args: { texto },
    options: { valor: optional(text(limits.questionAnswerCharsMax, 0)) },
    deadlineMs: null,
  }),
  /** Asks for one of several; answers it as it was given. */
  'dialogo.escolher': askedOrNull<{ readonly texto: string; readonly entre: readonly string[] }, string | null>('string | null', {
    args: { texto, entre: listOf(line(limits.questionButtonCharsMax), limits.questionChoicesMax) },
    deadlineMs: null,
  }),
  /**
   * Puts a notice into the bell of the person who uses the app: ten at once, then one in six seconds. Opening it brings back the window that sent it, at `rota`.
   */
  notificar: askedOrOwn<{ readonly texto: string; readonly rota?: string }, null>('null', {
    args: { texto: line(limits.noticeCharsMax) },
    options: { rota: optional(route) },
    deadlineMs: limits.portalVerbAnswerMs,
  }),
  /** Puts a text into the clipboard, after a press of the person in the page. */
  'area.escrever': inPage('(texto: string)', 'Promise<null>', 'same'),
  /** Asks the person to paste; null when they don't. A page never reads the clipboard by itself. */
  'area.ler': askedOrOwn<object, string | null>('string | null', { deadlineMs: null }),
  /** The GPU that the running backend was given, or the sentence why it got none. */
  'gpu.concedida': askedOrOwn<object, GpuGrant>('SvcGpu'),
  /** The same with what the manifest declares. */
  'gpu.estado': askedOrOwn<object, GpuGrant & { readonly declarada: boolean; readonly modo: 'opcional' | 'necessaria' | null }>(
    'SvcEstadoDaGpu',
  ),
};
