/** Reads lines of the record page by page, from the newest back or from a place on. Bounded: one question reads so many bytes. */
import { isAsked, type AuditLine, type AuditQuery, type MarkedPage } from '../../schema/audit.ts';
import { dayOf, daysIn, fileOfDay } from './files.ts';
import { limits } from './limits.ts';
import { linesBack, linesOn, sizeOf } from './lines.ts';
import { readLine } from './line.ts';

interface Place {
  readonly day: string;
  readonly byte: number;
}

interface Asked {
  readonly query: AuditQuery;
  readonly linesMax: number;
  /** Further than the query: whether the line is shown. */
  readonly isShown?: (line: AuditLine) => boolean;
}

const text = ({ day, byte }: Place): string => `${day}:${byte}`;

function placeIn(cursor: string): Place {
  const [day = '', byte = '0'] = cursor.split(':');
  return { day, byte: Number(byte) };
}

/** Where the record ends now: lines from here on are new. */
export async function endOfRecord(dir: string): Promise<string> {
  const day = (await daysIn(dir)).at(-1);
  if (day === undefined) return text({ day: '0000-00-00', byte: 0 });
  return text({ day, byte: (await sizeOf(fileOfDay(dir, day))) ?? 0 });
}

/** The newest first. `before`: as the page before said; absent: from the end. */
export async function readBack(dir: string, before: string | undefined, asked: Asked): Promise<MarkedPage> {
  const from = before === undefined ? null : placeIn(before);
  const since = asked.query.sinceMs === undefined ? '' : dayOf(asked.query.sinceMs);
  const days = (await daysIn(dir)).filter((day) => (from === null || day <= from.day) && day >= since).toReversed();
  const lines: AuditLine[] = [];
  const marks: string[] = [];
  let reachedMs: number | null = null;
  const linesMax = Math.min(asked.linesMax, limits.pageLinesMax);
  let bytesLeft = limits.readBytesMax;
  for (const [index, day] of days.entries()) {
    const end = from?.day === day ? from.byte : await sizeOf(fileOfDay(dir, day));
    if (end === null) continue;
    for await (const { bytes, start } of linesBack(fileOfDay(dir, day), end)) {
      const line = shown(bytes, asked);
      if (line !== null) {
        lines.push(line);
        marks.push(text({ day, byte: start }));
      }
      bytesLeft -= bytes.length;
      if (lines.length >= linesMax || bytesLeft <= 0) {
        reachedMs = timeOf(bytes);
        const isLast = start === 0 && index === days.length - 1;
        return { lines, marks, reachedMs, next: isLast ? null : text({ day, byte: start }) };
      }
    }
  }
  return { lines, marks, reachedMs, next: null };
}

/** The oldest first, from there on; `next` is never null: lines that come later begin there. */
export async function readOn(dir: string, from: string, asked: Asked): Promise<MarkedPage> {
  let at = placeIn(from);
  const lines: AuditLine[] = [];
  const marks: string[] = [];
  const linesMax = Math.min(asked.linesMax, limits.pageLinesMax);
  let bytesLeft = limits.readBytesMax;
  for (const day of (await daysIn(dir)).filter((each) => each >= at.day)) {
    if (day !== at.day) at = { day, byte: 0 };
    const size = (await sizeOf(fileOfDay(dir, day))) ?? 0;
    for await (const { bytes, end } of linesOn(fileOfDay(dir, day), at.byte, size)) {
      const line = shown(bytes, asked);
      bytesLeft -= end - at.byte;
      at = { day, byte: end };
      if (line !== null) {
        lines.push(line);
        marks.push(text(at));
      }
      if (lines.length >= linesMax || bytesLeft <= 0) return { lines, marks, reachedMs: null, next: text(at) };
    }
  }
  return { lines, marks, reachedMs: null, next: text(at) };
}

/** A line that is not one of ours counts as older than any. */
function timeOf(bytes: Buffer): number {
  const [, time = ''] = /"time":"([^"]{1,40})"/.exec(bytes.toString('utf8')) ?? [];
  const atMs = Date.parse(time);
  return Number.isNaN(atMs) ? 0 : atMs;
}

/** Lines that can't be read are `svc audit --verify`'s matter. */
function shown(bytes: Buffer, { query, isShown = () => true }: Asked): AuditLine | null {
  if (bytes.length > limits.lineBytesMax) return null;
  const said = bytes.toString('utf8').trimEnd();
  if (query.person !== undefined && !said.includes(JSON.stringify(query.person))) return null;
  const line = readLine(said)?.line;
  return line !== undefined && isAsked(line, query) && isShown(line) ? line : null;
}
