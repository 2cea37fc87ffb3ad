/** The place of a mistake in what a program printed as it ended: the traceback of Python, the errors of Node and of compilers. Pure. */
import path from 'node:path';

export interface Mistake {
  /** `main.py:27 SyntaxError: unmatched ')'` */
  readonly text: string;
  /** Lines of the program about it, without the frames of Node itself. */
  readonly lines: readonly string[];
}

const linesMax = 14;
/** Frames of Node itself, and its last words. */
const nodesOwn = /^\s+at .*\bnode:[\w/]+|^node:internal\/|^Node\.js v\d/;
const errorLine = /^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)|Error)\b(?: \[\w+\])?(?::|$)/;
const compilerLine = /^([^\s:][^:]*):(\d+)(?::\d+)?: ((?:fatal )?error: .*)$/;
const framePatterns = [
  /^\s+File "([^"]+)", line (\d+)/,
  /^(?:file:\/\/)?(\/[^:]+):(\d+)$/,
  /^\s+at (?:.*\()?(?:file:\/\/)?(\/[^:()]+):(\d+):\d+\)?$/,
];

interface Frame {
  readonly file: string;
  readonly line: string;
}

function frameIn(text: string): Frame | null {
  for (const pattern of framePatterns) {
    const [, file, line] = pattern.exec(text) ?? [];
    if (file !== undefined && line !== undefined) return { file, line };
  }
  return null;
}

/** The last one, in a file of the folder where there is such a frame. Null: none is recognized. */
export function mistakeOf(all: readonly string[], folder: string): Mistake | null {
  const lines = readable(all);
  const compiler = lines.findIndex((line) => compilerLine.test(line));
  if (compiler >= 0) {
    const [, file = '', line = '', text = ''] = compilerLine.exec(lines[compiler] ?? '') ?? [];
    return { text: `${path.basename(file)}:${line} ${text}`, lines: lines.slice(compiler, compiler + linesMax) };
  }
  const at = lines.findLastIndex((line) => errorLine.test(line));
  if (at < 0) return null;
  let to = at + 1;
  while (to < lines.length && /^\s/.test(lines[to] ?? '')) to += 1;
  const from = beginning(lines, at);
  // Python names the innermost frame last, and the error after it; Node the place first, and its frames after the error.
  const frames = (part: readonly string[]): readonly Frame[] => part.map(frameIn).filter((frame) => frame !== null);
  const isPython = lines.slice(from, at).some((line) => /^\s+File "/.test(line));
  const found = isPython ? frames(lines.slice(from, at)).toReversed() : frames(lines.slice(from, to));
  const frame = found.find(({ file }) => file.startsWith(`${folder}/`)) ?? found[0];
  const place = frame === undefined ? '' : `${path.basename(frame.file)}:${frame.line} `;
  const shown = lines.slice(from, to);
  return { text: `${place}${lines[at]}`, lines: isPython ? shown.slice(-linesMax) : shown.slice(0, linesMax) };
}

/** Returns the line where the error of line `at` begins: its traceback, its first place where there is none, or itself. */
function beginning(lines: readonly string[], at: number): number {
  let first = at;
  for (let one = at - 1; one >= 0 && one > at - 200; one -= 1) {
    const line = lines[one] ?? '';
    if (line.startsWith('Traceback (')) return one;
    // The end of another one, or of what was said before.
    if (errorLine.test(line)) break;
    if (frameIn(line) !== null) first = one;
    if (framePatterns[1]?.test(line) === true) break;
  }
  return first;
}

/** Filters a log that is followed line by line: true for a line to show, false for what Node says of its own insides. */
export function createReadable(): (line: string) => boolean {
  // Below a place in Node itself stand its line of code and a caret, up to an empty line.
  let isInside = false;
  return (line) => {
    if (/^node:internal\/\S+:\d+$/.test(line)) isInside = true;
    else if (line.trim() === '' || errorLine.test(line)) isInside = false;
    return !isInside && !nodesOwn.test(line);
  };
}

export const readable = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.trim() !== '' && !nodesOwn.test(line));
