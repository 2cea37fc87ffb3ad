/** Characters that a terminal obeys or does not show, in texts for programs. */
import { unplainSource } from '../schema/plain-line.ts';

/** Characters that no plain line has (schema/plain-line.ts), but tab and newline. */
export const unshown = new RegExp(`(?![\\t\\n])${unplainSource}`, 'gu');

/** Escapes such characters in a text that has them between double quotes only. */
export const escaped = (text: string): string =>
  text.replaceAll(unshown, (found) => Array.from(unitsOf(found), (unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''));

const unitsOf = (text: string): Uint16Array => Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
