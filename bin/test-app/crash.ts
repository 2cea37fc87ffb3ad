/** Reads the output of an app that ended by a mistake of its own: where it is, by the files of the app, and what the runtime calls it. */
import { lastLine } from './mends.ts';

export interface Crash {
  /** `backend/main.py:27`. */
  readonly place: string;
  /** `SyntaxError: unmatched ')'`. */
  readonly error: string;
}

/** How Python (`File "…", line 27`) and Node (`file:///…:27`, `at f (/…:27:5)`) name a line of a file. */
const named = /File "([^"]+)", line (\d+)|(?<![^\s:()"'`])(?:\/\/)?(\/[^\s:()"'`]+):(\d+)(?::\d+)?/g;
const isError = /^(?:[\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b(?: \[\w+\])?)(?::|$)/;

/** `dir`: the folder of the package. Null when nothing in it names a file of the app. */
export function crashOf(output: string, dir: string): Crash | null {
  const lines = output.split('\n').map((line) => line.trim());
  const error = lines.findLast((line) => isError.test(line));
  if (error === undefined) return null;
  const places = Array.from(output.matchAll(named), ([whole, python, at, node, line]) => ({
    isPython: whole.startsWith('File'),
    place: `${(python ?? node ?? '').replace(`${dir}/`, '')}:${at ?? line}`,
  })).filter(({ place }) => !place.startsWith('/') && !place.startsWith('<') && !place.includes('node_modules/'));
  // Python names the innermost last, Node first.
  const found = places.at(places[0]?.isPython === true ? -1 : 0);
  return found === undefined ? null : { place: found.place, error: error.slice(0, 300) };
}

/** For a sentence: the name of the error rather than what stands below it. */
export const saidLast = (output: string, dir: string): string => {
  const crash = crashOf(output, dir);
  return crash === null ? lastLine(output) : `${crash.place} ${crash.error}`;
};
