/** Texts of a manifest that people are shown. Decision: docs/decisions/0010-what-the-validator-refuses.md */
import { hasVisible } from '../plain-line.ts';

/**
 * Characters that a terminal, a log or a page obeys instead of showing: controls, the line ends of Unicode, and those that reverse the direction of
 * text. Tabs and ends of lines are text.
 */
const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

/** Why people would see something else than the text contains; null for an ordinary text. Empty texts are checked by their length. */
export function unshownIn(shown: string): string | null {
  if (controlCharacter.test(shown)) return 'found the control character';
  return shown !== '' && !hasVisible(shown) ? 'found no visible character' : null;
}

/** Checks a text that stands on one line, such as a name: there a tab or the end of a line is a control character like the others. */
export const unshownInLine = (shown: string): string | null =>
  unshownIn(shown) ?? (/[\t\n\r]/.test(shown) ? 'found the end of a line, or a tab,' : null);

/** The name of an app. Source: rules 2.1 `name`; an empty one is none. */
export const nameOf = ({ name }: { readonly name?: string }, id: string): string => (name === undefined || !hasVisible(name) ? id : name);
