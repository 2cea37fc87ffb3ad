/**
 * Shows the audit records of several portals as one: each portal keeps its own chain in its own folder, and the lines are merged by time when they are read.
 * The answer names each portal that can't be asked. Decision: docs/decisions/0424-one-record-of-several-portals.md
 */
import type { AuditLine, AuditPage, AuditQuery, MarkedPage, PortalVerdict } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AuditLog } from '../../store/audit/log.ts';
import { endOfRecord, readBack, readOn } from '../../store/audit/read.ts';
import { verifyRecord } from '../../store/audit/verify.ts';
import { concerns } from './concerns.ts';

/** A question of one portal to another about its record. `concerning`: only lines that this person is shown. */
export type RecordQuestion =
  | {
      readonly ask: 'back' | 'on';
      /** Null: from the end back. */
      readonly from: string | null;
      readonly query: AuditQuery;
      readonly linesMax: number;
      readonly concerning: string | null;
    }
  | { readonly ask: 'end' }
  | { readonly ask: 'verify' };

export type RecordAnswer = MarkedPage | { readonly end: string } | PortalVerdict;

/** The other portals, by their `--join` addresses. */
export interface OtherRecords {
  /** Name of this portal among them. */
  readonly own: string;
  /** Every one that was there within the time that lines are kept, whether it lives or not. */
  all(): Promise<readonly string[]>;
  /** Rejects where the portal does not answer. */
  ask(address: string, question: RecordQuestion): Promise<RecordAnswer>;
}

export interface SitePage extends AuditPage {
  /** Portals whose lines are not in it, since they do not answer. */
  readonly unread: readonly string[];
}

export interface SiteRecord {
  back(before: string | undefined, asked: Asked): Promise<SitePage>;
  on(from: string, asked: Asked): Promise<SitePage>;
  end(): Promise<string>;
  /** Asks the other portals only. */
  verify(): Promise<readonly PortalVerdict[]>;
}

interface Asked {
  readonly query: AuditQuery;
  readonly linesMax: number;
  readonly concerning?: string;
}

/** Answers another portal, or this one. */
export async function answerRecord(audit: AuditLog, portal: string, question: RecordQuestion): Promise<RecordAnswer> {
  const head = await audit.flush();
  if (question.ask === 'end') return { end: await endOfRecord(audit.dir) };
  if (question.ask === 'verify') {
    const { lines, files, found, findings } = await verifyRecord(audit.dir, head);
    const messages = findings.map(({ file, line, what, message }) => `${file}:${line} ${what}: ${message}`);
    return { portal, verdict: { lines, files, found, messages } };
  }
  const { query, linesMax, from, concerning } = question;
  const asked = { query, linesMax, ...(concerning === null ? {} : { isShown: (line: AuditLine) => concerns(line, concerning) }) };
  return await (question.ask === 'back' ? readBack(audit.dir, from ?? undefined, asked) : readOn(audit.dir, from ?? '0000-00-00:0', asked));
}

export function createSiteRecord(audit: AuditLog, others: OtherRecords | null): SiteRecord {
  const own = others?.own ?? '';
  const ask = async (portal: string, question: RecordQuestion): Promise<RecordAnswer> =>
    portal === own || others === null ? await answerRecord(audit, own, question) : await others.ask(portal, question);
  const portals = async (): Promise<readonly string[]> => {
    const all = (await others?.all()) ?? [];
    return [own, ...all.filter((each) => each !== own).toSorted()];
  };
  const endOf = async (portal: string): Promise<string> => ((await ask(portal, { ask: 'end' })) as { readonly end: string }).end;
  const pages = async (kind: 'back' | 'on', cursor: string | undefined, { query, linesMax, concerning }: Asked) => {
    const all = await portals();
    const places = placesIn(cursor, own);
    // Null: that record is read to its end.
    const open = all.filter((portal) => places[portal] !== null);
    const read = await Promise.allSettled(
      open.map(async (portal) => {
        const from = places[portal] ?? null;
        // It was away when the lines began to be followed: what is new is what comes from now on.
        if (kind === 'on' && from === null) return { lines: [], marks: [], reachedMs: null, next: await endOf(portal) };
        return (await ask(portal, { ask: kind, from, query, linesMax, concerning: concerning ?? null })) as MarkedPage;
      }),
    );
    const got = new Map<string, MarkedPage>();
    const unread: string[] = [];
    for (const [index, portal] of open.entries()) {
      const result = read[index];
      if (result?.status === 'fulfilled') got.set(portal, result.value);
      else if (portal === own) throw result?.reason;
      else unread.push(portal);
    }
    return { places, got, unread, isAlone: all.length === 1 };
  };
  return {
    back: async (before, asked) => {
      const { places, got, unread, isAlone } = await pages('back', before, asked);
      const { lines, next } = mergedBack(got, asked.linesMax);
      const after = { ...places, ...next };
      // A portal that does not answer is asked again with the next page, from where it was.
      const isOver = [...got.keys()].every((portal) => after[portal] === null);
      return { lines, unread, next: isOver ? null : cursorOf(after, own, isAlone) };
    },
    on: async (from, asked) => {
      const { places, got, unread, isAlone } = await pages('on', from, asked);
      const lines = [...got.values()].flatMap((page) => page.lines).toSorted(byTime);
      const next = Object.fromEntries([...got].map(([portal, page]) => [portal, page.next]));
      return { lines, unread, next: cursorOf({ ...places, ...next }, own, isAlone) };
    },
    end: async () => {
      const all = await portals();
      const ends = await Promise.allSettled(all.map(endOf));
      const places: Places = {};
      for (const [index, portal] of all.entries()) {
        const result = ends[index];
        if (result?.status === 'fulfilled') places[portal] = result.value;
      }
      return cursorOf(places, own, all.length === 1);
    },
    verify: async () => {
      const all = (await portals()).filter((portal) => portal !== own);
      return await Promise.all(
        all.map(async (portal) => (await ask(portal, { ask: 'verify' }).catch(() => ({ portal, verdict: null }))) as PortalVerdict),
      );
    },
  };
}

const byTime = (one: AuditLine, other: AuditLine): number =>
  one.time === other.time
    ? one.portal === other.portal
      ? one.seq - other.seq
      : one.portal < other.portal
        ? -1
        : 1
    : one.time < other.time
      ? -1
      : 1;

/** The newest lines of all pages, each record in its own order. A line is held back while a record that was not read so far may have a newer one. */
function mergedBack(
  got: ReadonlyMap<string, MarkedPage>,
  linesMax: number,
): { readonly lines: readonly AuditLine[]; readonly next: Places } {
  const records = [...got].map(([portal, page]) => ({ portal, page, at: 0 }));
  const lines: AuditLine[] = [];
  while (lines.length < linesMax) {
    let newest: { readonly record: (typeof records)[number]; readonly line: AuditLine } | null = null;
    for (const record of records) {
      const line = record.page.lines[record.at];
      if (line !== undefined && (newest === null || byTime(newest.line, line) < 0)) newest = { record, line };
    }
    if (newest === null) break;
    const atMs = Date.parse(newest.line.time);
    const mayBeNewer = records.some(({ page, at }) => at === page.lines.length && page.next !== null && atMs < (page.reachedMs ?? 0));
    if (mayBeNewer) break;
    lines.push(newest.line);
    newest.record.at += 1;
  }
  const next: Places = {};
  for (const { portal, page, at } of records) {
    if (at === page.lines.length) next[portal] = page.next;
    else if (at > 0) next[portal] = page.marks[at - 1] ?? null;
  }
  return { lines, next };
}

/** By portal; null: read to its end. Absent: from the end back. */
type Places = Record<string, string | null>;

const single = /^\d{4}-/;

function placesIn(cursor: string | undefined, own: string): Places {
  if (cursor === undefined) return {};
  if (single.test(cursor)) return { [own]: cursor };
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const entries = Object.entries(read as object).map(([portal, at]) => {
      if (at !== null && (typeof at !== 'string' || !/^\d{4}-\d\d-\d\d:\d{1,15}$/.test(at))) throw new Error('no place');
      return [portal, at as string | null] as const;
    });
    return Object.fromEntries(entries);
  } catch {
    throw new SvcError('BAD_REQUEST', 'this is no place in the record');
  }
}

function cursorOf(places: Places, own: string, isAlone: boolean): string {
  const alone = places[own];
  if (isAlone && typeof alone === 'string') return alone;
  return Buffer.from(JSON.stringify(places)).toString('base64url');
}
