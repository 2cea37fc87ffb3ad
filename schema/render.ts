/** How a finding is shown to a person: the place, the code, the message, the line and a caret below it. */
import type { FileReport, Finding } from './findings.ts';

const widthMax = 100;

/**
 * `file:line:col CODE message`, then the line of the text with a caret below the word and, when there is one, the suggestion.
 * The line of an inline credential is not repeated: output ends in logs.
 */
export function renderFinding(report: Pick<FileReport, 'file' | 'errors'>, finding: Finding, sourceText: string): string {
  const place = `${report.file}:${finding.line}:${finding.column} ${finding.code} `;
  const line = sourceText.split('\n', finding.line)[finding.line - 1]?.replace(/\r$/, '') ?? '';
  const isSecret = report.errors.some(({ code, line: other }) => code === 'INLINE_CREDENTIAL' && other === finding.line);
  if (isSecret || line.trim() === '') return place + finding.message;
  const { shown, caret } = clipLine(line, finding.column - 1);
  const { message, suggestion } = splitSuggestion(finding.message);
  const width = Math.max(1, Math.min(wordAt(line, finding.column - 1), shown.length - caret));
  const number = String(finding.line);
  const marks = `${' '.repeat(caret)}${'^'.repeat(width)}${suggestion === '' ? '' : ` ${suggestion}`}`;
  return [place + message, ` ${number} | ${shown}`, ` ${' '.repeat(number.length)} | ${marks}`].join('\n');
}

function splitSuggestion(message: string): { message: string; suggestion: string } {
  const at = message.indexOf('; did you mean "');
  return at === -1 ? { message, suggestion: '' } : { message: message.slice(0, at), suggestion: message.slice(at + 2) };
}

/** Length of the word or quoted text that begins there. */
function wordAt(line: string, column: number): number {
  return /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,:{}[\]"']+)/.exec(line.slice(column))?.[0].length ?? 1;
}

/** Keeps the caret in sight on very long lines; tabs and control characters become one space each so that columns stay true. */
function clipLine(line: string, column: number): { shown: string; caret: number } {
  // oxlint-disable-next-line no-control-regex
  const plain = line.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, ' ');
  const from = column < widthMax - 10 ? 0 : column - widthMax / 2;
  const left = from > 0 ? '…' : '';
  const right = plain.length > from + widthMax ? '…' : '';
  return { shown: left + plain.slice(from, from + widthMax) + right, caret: Math.min(column, plain.length) - from + left.length };
}
