/**
 * The one rule for words that people read among the words of the desktop: names of rooms, notices, titles, questions of apps. The reader sees
 * everything that the text contains. Refused: controls (C0, C1), line and paragraph separators, what changes the direction of the text around it,
 * lone surrogates, noncharacters and whatever shows nothing by itself (tag characters, fillers, spaces without width). The joiners and variation
 * selectors that scripts and emoji need are text. Decision: docs/decisions/0375-one-rule-for-plain-lines.md
 */

const joining = '\\u034f\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';
const unplain = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Noncharacter_Code_Point}\\p{Default_Ignorable_Code_Point}';
/** Drawn as an empty space, though Unicode counts them as symbols: Braille, a musical notehead, two hieroglyphs. */
const blank = '\\u2800\\u{1d159}\\u{13441}\\u{13442}';
const plain = `(?:[${joining}]|[^${unplain}])`;
/** Source of a pattern with the flag `u`: one character that no plain line has. */
export const unplainSource = `(?:(?![${joining}])[${unplain}])`;
/** Neither a space nor a mark on the character before, and not drawn as nothing. */
const visible = `[^\\s\\p{M}\\p{Default_Ignorable_Code_Point}${blank}]`;

/** Source of a pattern with the flag `u`, as JSON Schema compiles it: one line with something to see in it. Lengths are checked beside it. */
export const plainLineSource = `^(?=.*${visible})${plain}*$`;
/** The same for a name: no space at either end, so that two names that look alike are not two. */
export const plainNameSource = `^(?!\\s)(?=.*${visible})${plain}*(?<!\\s)$`;

const linePattern = new RegExp(plainLineSource, 'u');
const plainPattern = new RegExp(`^${plain}*$`, 'u');
const unplainRuns = new RegExp(`${unplainSource}+`, 'gu');
const visiblePattern = new RegExp(visible, 'u');

export const isPlainLine = (text: string): boolean => linePattern.test(text);

/** The same without something to see, for names that are made elsewhere: a file may be called by a space. */
export const isPlainOrBlank = (text: string): boolean => plainPattern.test(text);

/** Whether there is anything to see. */
export const hasVisible = (text: string): boolean => visiblePattern.test(text);

/** Several plain lines, as a question has them: no line is empty but single ones between others, and no more lines than `linesMax`. */
export function isPlainText(text: string, linesMax: number): boolean {
  const lines = text.split(/\r?\n/).map((line) => line.replaceAll('\t', ' '));
  const isGap = (line: string | undefined): boolean => line === undefined || line.trim() === '';
  return (
    lines.length <= linesMax &&
    lines.every((line, n) => (isGap(line) ? n > 0 && !isGap(lines[n - 1]) && !isGap(lines[n + 1]) : isPlainLine(line)))
  );
}

/** For what was stored or came from elsewhere and is shown: one line in which each run of refused characters is one space; '' when nothing is left. */
export function asPlainLine(text: string): string {
  const line = text.replaceAll(unplainRuns, ' ').trim();
  return hasVisible(line) ? line : '';
}
