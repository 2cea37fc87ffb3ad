/** Log text as the page keeps it: the last lines only, without the control sequences of terminals. Pure. */

export const keptLinesMax = 1_000;
export const keptCharsMax = 400_000;

// Colours and cursor movements; a log is shown, never obeyed.
const terminalSequences = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

export const withoutSequences = (text: string): string => text.replaceAll(terminalSequences, '');

export function appendLines(kept: string, more: string): string {
  const joined = kept + withoutSequences(more).replaceAll('\r\n', '\n');
  const short = joined.length > keptCharsMax ? joined.slice(-keptCharsMax) : joined;
  const lines = short.split('\n');
  return lines.length > keptLinesMax ? lines.slice(-keptLinesMax).join('\n') : short;
}
