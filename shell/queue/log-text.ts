/** The log of a job as the page keeps and shows it: the last part, with every control character made visible or left out. Pure. */
import { keptCharsMax, keptLinesMax, withoutSequences } from '../tasks/lines.ts';

/** Keeps the end of the log. Control sequences are cut out only where it is shown: a piece may end inside of one. */
export const keepLog = (kept: string, more: string): string => (kept + more).slice(-keptCharsMax);

/** C0 and C1 controls but tab and newline; marks that turn the direction of what follows. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const visible = (char: string): string => {
  const code = char.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** Text that a program left visible on a line that it wrote over. */
const lastWritten = (line: string): string => line.slice(line.lastIndexOf('\r') + 1);

export function shownLog(kept: string): string {
  const lines = withoutSequences(kept).split('\n');
  return lines
    .slice(-keptLinesMax)
    .map((line) => lastWritten(line.replace(/(?<!\r)\r+$/, '')).replaceAll(hidden, visible))
    .join('\n');
}
