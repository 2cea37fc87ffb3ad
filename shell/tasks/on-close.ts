/** What becomes of an app when its last window closes, in words. Source: spec 2.1 `backend.aoFechar`. */
import { text } from '../i18n/i18n.ts';

/** What a newer manifest may say is shown as it is written. */
export function sayOnClose(aoFechar: string): string {
  const minutes = /^ocioso:(\d+)m$/.exec(aoFechar)?.[1];
  if (minutes !== undefined) return text('onClose.idle', { n: Number(minutes) });
  if (aoFechar === 'encerrar') return text('onClose.end');
  return aoFechar === 'manter' ? text('onClose.keep') : aoFechar;
}
