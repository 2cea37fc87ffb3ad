/**
 * run.log (rules 2.6): the kernel writes it through the backend's descriptors, so it survives the death of launcher and supervisor. The file is
 * opened for appending; therefore it can be truncated in place while the backend goes on writing.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { limits } from '../limits.ts';
import { isMissing, renameOver } from '../atomic-file.ts';
import { openPlainFileSync } from '../../schema/plain-file.ts';

interface LogPaths {
  readonly runLog: string;
  readonly previousRunLog: string;
}

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** The previous run goes to run.log.1; answers a descriptor of the new, empty run.log (0600), to be closed by the caller. */
export function rotateRunLog(paths: LogPaths): number {
  try {
    renameOver(paths.runLog, paths.previousRunLog);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return openSync(paths.runLog, appending, 0o600);
}

/** Appends one line of svc, marked so that it is not taken for the app's, whose own line may not be over. */
export function appendToRunLog(path: string, line: string): void {
  const last = readEnd(path, 1);
  const fd = openSync(path, appending | constants.O_NONBLOCK, 0o600);
  try {
    writeSync(fd, `${last.length > 0 && last[0] !== 0x0a ? '\n' : ''}svc: ${line}\n`);
  } finally {
    closeSync(fd);
  }
}

/** At most `bytes` of the end; '' when there is no log. */
export function readEnd(path: string, bytes: number): Buffer {
  let fd: number;
  try {
    ({ fd } = openPlainFileSync(path));
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - from);
    return buffer.subarray(0, readFully(fd, buffer, from));
  } finally {
    closeSync(fd);
  }
}

function readFully(fd: number, buffer: Buffer, from: number): number {
  let length = 0;
  while (length < buffer.length) {
    const got = readSync(fd, buffer, length, buffer.length - length, from + length);
    if (got === 0) break;
    length += got;
  }
  return length;
}

/** The last `count` whole lines, as text; a line cut at the front of the window is left out. */
export function lastLines(path: string, count: number, bytesMax: number): readonly string[] {
  const bytes = readEnd(path, bytesMax);
  const lines = bytes.toString('utf8').split('\n');
  if (bytes.length === bytesMax && lines.length > 1) lines.shift();
  if (lines.at(-1) === '') lines.pop();
  return count === 0 ? [] : lines.slice(-count);
}

/**
 * Values that must never be shown, replaced; the longest first, so that no piece of one stays. Also one that is interrupted by what a terminal obeys
 * or does not show, or by the end of a line: whoever reads the text would see it whole.
 */
export function redact(text: string, hidden: readonly string[]): string {
  let shown = text;
  const values = spellings(hidden);
  for (const value of values) shown = shown.replaceAll(value, '***');
  if (values.length === 0 || shown.search(unseen) < 0) return shown;
  const views = [seenOf(shown), seenOf(shown.replaceAll(shortSequence, '\u0000\u0000'))];
  const ranges = views.flatMap((seen) => values.flatMap((value) => rangesOf(seen, seenOf(value).text))).toSorted(([a], [b]) => a - b);
  let at = 0;
  let blanked = '';
  for (const [from, to] of ranges) {
    if (from >= at) blanked += `${shown.slice(at, from)}***`;
    at = Math.max(at, to);
  }
  return blanked + shown.slice(at);
}

/** Sequences for a terminal (also one that is cut at the end), controls with ends of lines, and characters without width. */
const unseen =
  /\u001b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)?|[ -/]+(?:[0-~]|$))|\u009b[0-?]*[ -/]*(?:[@-~]|$)|[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
/** An escape takes one character with it in a terminal, and none where it is shown by a sign. */
const shortSequence = /\u001b[0-Z\\^-~]/g;

interface Seen {
  readonly text: string;
  /** Where each of its characters is in the whole text. */
  readonly places: Uint32Array;
}

function seenOf(whole: string): Seen {
  const places = new Uint32Array(whole.length);
  let text = '';
  let from = 0;
  const take = (to: number): void => {
    for (let at = from; at < to; at += 1) places[text.length + at - from] = at;
    text += whole.slice(from, to);
  };
  for (const { 0: sequence, index } of whole.matchAll(unseen)) {
    take(index);
    from = index + sequence.length;
  }
  take(whole.length);
  return { text, places };
}

function rangesOf({ text, places }: Seen, value: string): readonly (readonly [from: number, to: number])[] {
  const ranges: (readonly [number, number])[] = [];
  if (value.length < shortestHidden) return ranges;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
    ranges.push([places[at] ?? 0, (places[at + value.length - 1] ?? 0) + 1]);
  return ranges;
}

/** Shorter values would match ordinary words. */
const shortestHidden = 4;

/** As it is, as JSON and as URLs encode it. */
function spellings(hidden: readonly string[]): readonly string[] {
  const all = hidden
    .flatMap(withLines)
    .flatMap((value) => (value.length < shortestHidden ? [] : [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]));
  return [...new Set(all)].sort((left, right) => right.length - left.length);
}

/** Each line of a multi-line value is hidden, too: logs are read and sent line by line. The frame lines of a PEM key are not secret. */
function withLines(value: string): readonly string[] {
  if (!value.includes('\n')) return [value];
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines.filter((line) => !/^-----(BEGIN|END) [A-Z0-9 ]+-----$/.test(line))];
}

/** How many characters at the end of a text may be the beginning of a hidden value: cut there, half of it would be shown. */
export function heldBack(whole: string, hidden: readonly string[]): number {
  const { text, places } = seenOf(whole);
  let held = 0;
  for (const value of spellings(hidden)) {
    const sought = seenOf(value).text;
    for (let length = Math.min(sought.length - 1, text.length); length > held; length -= 1) {
      if (text.endsWith(sought.slice(0, length))) held = length;
    }
  }
  return held === 0 ? 0 : whole.length - (places[text.length - held] ?? 0);
}

/**
 * Shortens a log over the limit to its last part, in place: the backend's descriptor stays good. Lines that it writes between the
 * reading and the cutting are lost; that is the price of not standing between the backend and its log.
 */
export function trimRunLog(path: string): boolean {
  const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(fd);
    if (size <= limits.runLogBytesMax) return false;
    const kept = Buffer.alloc(limits.runLogKeptBytes);
    const length = readFully(fd, kept, size - kept.length);
    const tail = kept.subarray(0, length);
    ftruncateSync(fd, 0);
    // The newest output of the backend may be the beginning of a line.
    const between = fstatSync(fd).size > 0 ? '\n' : '';
    writeSync(fd, `${between}svc: run.log passed ${limits.runLogBytesMax} bytes; older lines were dropped\n`);
    writeSync(fd, tail.subarray(tail.indexOf(0x0a) + 1));
    return true;
  } finally {
    closeSync(fd);
  }
}
