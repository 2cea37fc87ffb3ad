/**
 * Versions of a document: which rows of its log belong together. What people wrote in one go is a version; the older it is, the more of it is one.
 * Pure. Decision: docs/decisions/0447-history-of-rooms.md
 */
import { limits } from '../limits.ts';

/** Rows of a log that follow each other. */
export interface Span {
  /** Number of the last row. */
  readonly seq: number;
  /** First and last change, in ms since the epoch; 0: not known. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Persons who wrote, by name; empty: not known. */
  readonly who: readonly string[];
}

/** A span whose updates are kept as one. */
export interface Piece extends Span {
  /** Update of Yjs in its second format, deflated. */
  readonly piece: Uint8Array;
}

export interface Version extends Span {
  /** Given by a person; null: none. */
  readonly name: string | null;
}

/** Names that people gave to versions, by the number of the last row. */
export type Names = ReadonlyMap<number, string>;

/** Days for which versions are kept; 0: none are. */
export type HistoryDays = number;

/** Versions of a document, the oldest first. */
export function versionsOf(spans: readonly Span[], names: Names): readonly Version[] {
  return groupsOf(spans, (group, next) => isSameGo(group, next) && !names.has(group.seq)).map((group) => {
    const { seq, sinceMs, untilMs, who } = spanOf(group);
    return { seq, sinceMs, untilMs, who, name: names.get(seq) ?? null };
  });
}

/** How the spans are kept from now on: each group as one piece. The first one may hold what is forgotten (`isForgotten`). */
export interface Thinned {
  readonly groups: readonly (readonly Span[])[];
  /** So many spans at the begin are older than is kept: of them only the document stays that they led to. */
  readonly forgotten: number;
}

/**
 * All of a day, one piece an hour of a month, one a day of what is older. `bytesOf` is the size of a span that is a piece already. What has a name ends its
 * piece. A document has a bound of bytes and pieces: the oldest ones are forgotten over it, whether they have names or not.
 */
export function thinned(
  spans: readonly Span[],
  {
    names,
    days,
    nowMs,
    bytesOf,
  }: { readonly names: Names; readonly days: HistoryDays; readonly nowMs: number; readonly bytesOf: (span: Span) => number },
): Thinned {
  const oldestMs = nowMs - days * dayMs;
  const firstNamed = spans.findIndex(({ seq }) => names.has(seq));
  const young = spans.findIndex(({ untilMs }) => untilMs > oldestMs);
  const old = young === -1 ? spans.length : young;
  const aged = firstNamed === -1 ? old : Math.min(old, firstNamed);
  const rest = groupsOf(
    spans.slice(aged),
    (group, next) => !names.has(group.seq) && (isSameGo(group, next) || isSameTime(group, next, nowMs, oldestMs)),
  );
  const over = overBounds(rest, bytesOf);
  const forgotten = aged + rest.slice(0, over).reduce((sum, { length }) => sum + length, 0);
  return { groups: [...(forgotten > 0 ? [spans.slice(0, forgotten)] : []), ...rest.slice(over)], forgotten };
}

/** How many groups at the begin are too many. */
function overBounds(groups: readonly (readonly Span[])[], bytesOf: (span: Span) => number): number {
  let bytes = 0;
  for (let at = groups.length - 1; at >= 0; at -= 1) {
    bytes += groups[at]!.reduce((sum, span) => sum + bytesOf(span), 0);
    if (bytes > limits.roomHistoryBytesMax || groups.length - at > limits.roomPiecesMax) return at + 1;
  }
  return 0;
}

/** Neighbours that belong together; `joins` is asked of what is gathered so far, and the next one. */
function groupsOf(spans: readonly Span[], joins: (group: Span, next: Span) => boolean): readonly (readonly Span[])[] {
  const groups: Span[][] = [];
  let whole: Span | null = null;
  for (const span of spans) {
    if (whole !== null && joins(whole, span)) groups.at(-1)!.push(span);
    else groups.push([span]);
    whole = spanOf(groups.at(-1)!.length === 1 ? [span] : [whole!, span]);
  }
  return groups;
}

/** The spans as one. */
export function spanOf(group: readonly Span[]): Span {
  const known = group.filter(({ untilMs }) => untilMs > 0);
  return {
    seq: group.at(-1)!.seq,
    sinceMs: known.reduce((least, { sinceMs }) => Math.min(least, sinceMs), known[0]?.sinceMs ?? 0),
    untilMs: known.reduce((most, { untilMs }) => Math.max(most, untilMs), 0),
    who: [...new Set(group.flatMap(({ who }) => who))].toSorted().slice(0, limits.roomVersionPeopleMax),
  };
}

/** Without a pause, and not for too long; or both of a time that is not known. */
function isSameGo(group: Span, next: Span): boolean {
  if (group.untilMs === 0 || next.untilMs === 0) return group.untilMs === next.untilMs;
  return next.sinceMs - group.untilMs <= limits.roomSessionGapMs && next.untilMs - group.sinceMs <= limits.roomSessionMsMax;
}

const [hourMs, dayMs] = [60 * 60_000, 24 * 60 * 60_000];

/** Both lie in the same hour of the last month, or day of before. */
function isSameTime(group: Span, next: Span, nowMs: number, oldestMs: number): boolean {
  if (group.untilMs === 0 || nowMs - next.untilMs <= dayMs) return false;
  if (next.untilMs <= oldestMs) return true;
  const stepMs = nowMs - next.untilMs <= limits.roomHourlyMs ? hourMs : dayMs;
  return Math.floor(group.untilMs / stepMs) === Math.floor(next.untilMs / stepMs);
}

/** As they are kept: between blanks, so that one name can be searched for. */
export const packNames = (who: readonly string[]): string => (who.length === 0 ? '' : ` ${who.join(' ')} `);
export const unpackNames = (text: string): readonly string[] => text.split(' ').filter((name) => name !== '');
