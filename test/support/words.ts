/** The words of a text that stand between spaces and ends of lines: a table of names. */
export const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/);
