/** How a finding is shown to a person: the place, the code, the message, the line and a caret below it. */
import type { FileReport, Finding } from './desired/documents.ts';

const widthMax = 100;

/**
 * `file:line:col CODE message`, then the line of the text with a caret. The line of an inline credential is not repeated:
 * output ends in logs.
 */
export function renderFinding(report: Pick<FileReport, 'file' | 'errors'>, finding: Finding, sourceText: string): string {
  const head = `${report.file}:${finding.line}:${finding.column} ${finding.code} ${finding.message}`;
  if (report.errors.some(({ code, line }) => code === 'INLINE_CREDENTIAL' && line === finding.line)) return head;
  const line = sourceText.split('\n', finding.line)[finding.line - 1];
  if (line === undefined || line.trim() === '') return head;
  const { shown, caret } = clipLine(line.replace(/\r$/, ''), finding.column - 1);
  const number = String(finding.line);
  return [head, ` ${number} | ${shown}`, ` ${' '.repeat(number.length)} | ${' '.repeat(caret)}^`].join('\n');
}

/** Keeps the caret in sight on very long lines; tabs and control characters become one space each so that columns stay true. */
function clipLine(line: string, column: number): { shown: string; caret: number } {
  // oxlint-disable-next-line no-control-regex
  const plain = line.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
  const from = column < widthMax - 10 ? 0 : column - widthMax / 2;
  const left = from > 0 ? '…' : '';
  const right = plain.length > from + widthMax ? '…' : '';
  return { shown: left + plain.slice(from, from + widthMax) + right, caret: Math.min(column, plain.length) - from + left.length };
}
