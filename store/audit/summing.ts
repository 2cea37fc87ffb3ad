/** Bounds the lines of one caller: what comes more often than so many times a minute is one line with its count. */
import type { AuditActor, AuditEntry } from '../../schema/audit.ts';
import { limits } from './limits.ts';

interface Cell {
  readonly sinceMs: number;
  lines: number;
  /** The first that got no line of its own, and how many there were. */
  held: { readonly entry: AuditEntry; times: number } | null;
}

export interface Summing {
  /** False: it is only counted, and `due` reports the count. */
  admit(entry: AuditEntry, monotonicMs: number): boolean;
  /** Lines for what was counted in minutes that are over; with Infinity all. */
  due(monotonicMs: number): readonly AuditEntry[];
  /** When `due` has something to say; null: nothing is counted. */
  dueAtMs(): number | null;
}

const minuteMs = 60_000;

export function createSumming(): Summing {
  const cells = new Map<string, Cell>();
  const over = (nowMs: number): AuditEntry[] => {
    const told: AuditEntry[] = [];
    for (const [key, { sinceMs, held }] of cells) {
      if (nowMs < sinceMs + minuteMs) continue;
      cells.delete(key);
      if (held !== null) told.push({ ...held.entry, times: held.times });
    }
    return told;
  };
  let kept: AuditEntry[] = [];
  return {
    admit: (entry, nowMs) => {
      if (isUnbounded(entry.by)) return true;
      const key = keyOf(cells, entry);
      const known = cells.get(key);
      if (known === undefined || nowMs >= known.sinceMs + minuteMs) {
        if (known?.held) kept.push({ ...known.held.entry, times: known.held.times });
        cells.set(key, { sinceMs: nowMs, lines: 1, held: null });
        return true;
      }
      known.lines += 1;
      if (known.lines <= limits.sameLinesPerMinuteMax) return true;
      if (known.held === null) known.held = { entry: withoutOne(entry), times: 1 };
      else known.held.times += 1;
      return false;
    },
    due: (nowMs) => {
      const told = [...kept, ...over(nowMs)];
      kept = [];
      return told;
    },
    dueAtMs: () => {
      if (kept.length > 0) return 0;
      const held = [...cells.values()].filter((cell) => cell.held !== null).map(({ sinceMs }) => sinceMs + minuteMs);
      return held.length === 0 ? null : Math.min(...held);
    },
  };
}

/** Administrators and the portal itself are few, and each of their acts matters. */
const isUnbounded = (by: AuditActor): boolean =>
  by.kind === 'control' || by.kind === 'controller' || by.kind === 'portal' || (by.kind === 'person' && by.admin === true);

function keyOf(cells: ReadonlyMap<string, Cell>, { by, action, result, code, from }: AuditEntry): string {
  const who = by.kind === 'nobody' ? [by, from?.address] : [by];
  const key = JSON.stringify([action, result, code, ...who]);
  return cells.has(key) || cells.size < limits.callersMax ? key : JSON.stringify([action, result, code, by.kind]);
}

/** Object and request were those of one of many. */
function withoutOne({ by, action, person, from, result, code }: AuditEntry): AuditEntry {
  const rest = { person, from, code };
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { by, action, result, ...said };
}
