/** How a shell ended, in words. */
import type { TerminalEnd } from '../../schema/wire/terminals.ts';
import { text } from '../i18n/i18n.ts';

/** Null: the portal does not know the terminal any more. */
export function sayEnd(end: TerminalEnd | null): string {
  if (end === null) return text('terminal.gone');
  if (end.sinal !== null) return text('terminal.killed', { sinal: end.sinal });
  if (end.codigo !== null) return text('terminal.exited', { codigo: end.codigo });
  return text('terminal.cut');
}
