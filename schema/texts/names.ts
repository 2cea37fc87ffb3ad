/** Names in a sentence: some of them, and how many more there are. */
import type { Words } from './reasons.ts';

const shownMax = 5;

export function someNames(names: readonly string[]): Words {
  const shown = names.slice(0, shownMax).join(', ');
  const left = names.length - shownMax;
  return left <= 0 ? { pt: shown, en: shown } : { pt: `${shown} e mais ${left}`, en: `${shown} and ${left} more` };
}
