/** Names in a sentence: some of them, and how many more there are. */
import type { Reason } from '../backend.ts';
import { reasonText, type TextLanguage, type Words } from './reasons.ts';

const shownMax = 5;

export function someNames(names: readonly string[]): Words {
  const shown = names.slice(0, shownMax).join(', ');
  const left = names.length - shownMax;
  return left <= 0 ? { pt: shown, en: shown } : { pt: `${shown} e mais ${left}`, en: `${shown} and ${left} more` };
}

/** Each reason once, with the names that have it. */
export function namesByReason(items: readonly { readonly name: string; readonly reason: Reason }[]): Words {
  const groups = [...Map.groupBy(items, ({ reason }) => reason)];
  const listed = (language: TextLanguage): string =>
    groups.map(([reason, of]) => `${reasonText(reason, language)}: ${someNames(of.map(({ name }) => name))[language]}`).join('; ');
  return { pt: listed('pt'), en: listed('en') };
}
