/** Resources that an app uses, in words; a dash while unknown. Two busy processors are 200 %. */
import type { AppUsage } from '../../schema/wire/http.ts';
import { shownAs } from '../i18n/i18n.ts';
import { saySize } from '../shop/words.ts';

export function sayCpu(usage: AppUsage | null | undefined): string {
  if (usage?.cpu == null) return '–';
  const digits = usage.cpu < 9.95 ? 1 : 0;
  return new Intl.NumberFormat(shownAs(), { style: 'percent', maximumFractionDigits: digits }).format(usage.cpu / 100);
}

export const sayMemory = (usage: AppUsage | null | undefined): string => (usage == null ? '–' : saySize(usage.memoria));
