/** Fate of an app when its last window closes, in words. Source: rules 2.1 `backend.aoFechar`. */
import { text } from '../i18n/i18n.ts';

/** A value of a newer manifest is shown as it is written. */
export function sayOnClose(aoFechar: string): string {
  const minutes = /^ocioso:(\d+)m$/.exec(aoFechar)?.[1];
  if (minutes !== undefined) return text('onClose.idle', { n: Number(minutes) });
  if (aoFechar === 'encerrar') return text('onClose.end');
  return aoFechar === 'manter' ? text('onClose.keep') : aoFechar;
}
