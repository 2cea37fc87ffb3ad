/** Why something did not work, in words. The portal's own message is for engineers; its code says enough (docs/errors.md). */
import { say, type Word } from './texts.ts';

const byCode: Readonly<Record<string, Word>> = {
  TOO_LARGE: 'erro.grande',
  DISK_FULL: 'erro.disco',
  FORBIDDEN: 'erro.papel',
  NOT_FOUND: 'erro.sumiu',
  RATE_LIMITED: 'erro.pressa',
  CONFLICT: 'erro.limite',
  OFFLINE: 'erro.rede',
  'sem-resposta': 'erro.rede',
  'pedidos-demais': 'erro.pressa',
};

export function words(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const word = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  if (word !== undefined) return say(word);
  return error instanceof Error ? error.message : String(error);
}
