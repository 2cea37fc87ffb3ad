/** How commands speak: tables for 80 columns, JSON and YAML for programs, colors only on a terminal that wants them. */
import { styleText } from 'node:util';
import { unplainSource } from '../schema/plain-line.ts';
import { escaped, unshown } from './escaped.ts';

export type Format = 'table' | 'wide' | 'json' | 'yaml';

/** `wide` is a table for people, too. */
export const isForPrograms = (format: Format): format is 'json' | 'yaml' => format === 'json' || format === 'yaml';

/** Whole values for programs: what a terminal obeys or does not show is escaped, which every reader of JSON and YAML undoes. */
export async function printValue(value: unknown, format: 'json' | 'yaml'): Promise<void> {
  if (format === 'json') write(`${jsonText(value, 2)}\n`);
  else write((await import('./yaml.ts')).yamlText(value));
}

export const jsonText = (value: unknown, indent?: number): string => escaped(JSON.stringify(value, null, indent));

/** Everything on a terminal goes through here, whoever wrote it: colors and lines stay. Into a pipe text goes as it is, since programs read it. */
export function write(text: string): void {
  process.stdout.write(process.stdout.isTTY ? safeForTerminal(text) : text);
}

export function warn(text: string): void {
  process.stderr.write(process.stderr.isTTY ? safeForTerminal(text) : text);
}

/** Sequences of ours, for a terminal only. */
export function writeSequence(sequence: string): void {
  process.stdout.write(sequence);
}

/** Resets the colours, so that an app's last one does not reach the prompt. */
export function endColors(): void {
  if (process.stdout.isTTY) writeSequence('\u001b[0m');
}

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string;
  readonly tone?: (row: Row) => Tone;
  /** Only with `-o wide`. */
  readonly isWide?: boolean;
}

export type Tone = 'good' | 'bad' | 'busy' | 'plain';

/**
 * Rows with aligned columns. All but the last are as wide as their content; the last takes the rest of the line and is cut, since the whole
 * text is in `-o json` and in `svc describe`. Into a pipe nothing is cut.
 */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width = tableWidth()): string {
  const cells = rows.map((row) => columns.map((column) => plain(column.of(row))));
  const widths = columns.map((column, at) => Math.max(column.title.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const left = width - widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
  const line = (texts: readonly string[], paint: (text: string, at: number) => string) =>
    texts
      .map((text, at) => {
        const isLast = at === columns.length - 1;
        const fitted = isLast ? cut(text, Math.max(left, 12)) : text.padEnd(widths[at] ?? 0);
        return paint(fitted, at);
      })
      .join('  ')
      .trimEnd();
  const head = line(
    columns.map((column) => column.title),
    (text) => color('dim', text),
  );
  const body = cells.map((texts, index) => line(texts, (text, at) => toned(text, columns[at]?.tone?.(rows[index] as Row) ?? 'plain')));
  return `${[head, ...body].join('\n')}\n`;
}

/** As `-o table` and `-o wide` show it: all columns and nothing cut in the wide one. */
export function listing<Row>(rows: readonly Row[], columns: readonly Column<Row>[], format: Format): string {
  if (format === 'wide') return table(rows, columns, Number.POSITIVE_INFINITY);
  return table(
    rows,
    columns.filter(({ isWide }) => isWide !== true),
  );
}

/** Text in lines of the terminal's width, every line after the first indented. */
export function wrap(text: string, indent: number, width = lineWidth()): string {
  const lines: string[] = [''];
  for (const word of plain(text).split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && indent + last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

function tableWidth(): number {
  return process.stdout.isTTY || process.env['COLUMNS'] !== undefined ? lineWidth() : Infinity;
}

export function lineWidth(): number {
  const asked = process.stdout.columns ?? Number(process.env['COLUMNS']);
  return Number.isInteger(asked) && asked >= 40 ? asked : 80;
}

/** Makes a text one line, without anything that moves a terminal's cursor, turns the text around or is not shown. */
export function plain(text: string): string {
  return text.replaceAll(sequences, '').replaceAll(unshownRuns, ' ');
}

/** Text for a terminal: colors stay, a line that is written over becomes a line of its own, and everything else that a terminal obeys is made visible. */
export function safeForTerminal(text: string): string {
  return text
    .replaceAll(/\r\n/g, '\n')
    .replaceAll('\r', '\n')
    .replaceAll(/\u001b(?!\[[0-9;:]{0,64}m)/g, '\ufffd')
    .replaceAll(unshown, (found) => (found === '\u001b' ? found : '\ufffd'));
}

const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
const unshownRuns = new RegExp(`${unplainSource}+`, 'gu');

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

export function toned(text: string, tone: Tone): string {
  if (tone === 'plain') return text;
  return color(({ good: 'green', bad: 'red', busy: 'yellow' } as const)[tone], text);
}

/** NO_COLOR, FORCE_COLOR and pipes are honoured by styleText. */
export function color(
  format: 'green' | 'red' | 'yellow' | 'dim' | 'bold',
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(format, text, { stream });
}

const tones: Readonly<Record<string, Tone>> = {
  running: 'good',
  starting: 'busy',
  stopping: 'busy',
  backoff: 'busy',
  failed: 'bad',
  missing: 'bad',
  drifted: 'bad',
  outdated: 'busy',
  installing: 'busy',
  removing: 'busy',
  undeclared: 'busy',
  installed: 'good',
  present: 'good',
  unknown: 'busy',
};

export function toneOfState(state: string): Tone {
  return tones[state.toLowerCase()] ?? 'plain';
}

/** `3s`, `12m`, `5h`, `2d`: how long ago, or how long until. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(Math.abs(ms) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

/** `512 B`, `64 MB`, `1.5 GB`: powers of 1,024. */
export function byteSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const amount = bytes / 1_024 ** at;
  return `${amount < 10 && at > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[at] ?? 'B'}`;
}

/** Local time of day when it is less than a day away, else with the date. */
export function moment(ms: number, nowMs: number): string {
  const iso = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString();
  return Math.abs(nowMs - ms) < 86_400_000 ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}
