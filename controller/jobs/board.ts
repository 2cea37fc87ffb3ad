/** The jobs that the controller knows: their rows as they were read last, and what this run of the portal saw and did of each. */
import type { JobDecision, JobDesired, JobObserved } from '../../reconcilers/job.ts';
import { keys } from '../../schema/keys.ts';
import type { StoredJob } from '../../store/jobs.ts';
import { createLine, type ClusterLine } from './line.ts';

export interface JobEntry {
  readonly key: string;
  readonly id: string;
  row: StoredJob;
  /** Refusal of the last attempt. */
  refused: string | null;
  /** When the last attempt of this run ended, well or not; null: none was made. */
  attemptEndedAtMs: number | null;
  /** Token of this run's attempts: its hash is in the store. */
  token: string | null;
  outputsMissing: boolean;
  decision: JobDecision | null;
  inputs: { readonly desired: JobDesired; readonly observed: JobObserved; readonly atMs: number } | null;
}

export interface JobBoard {
  get(id: string): JobEntry | undefined;
  /** Jobs that concern a cluster now: released to it, or not yet forgotten there. */
  live(): Iterable<JobEntry>;
  all(): Iterable<JobEntry>;
  /** A row as it was read; an older one than is known changes nothing. Null then. */
  put(row: StoredJob, nowMs: number): JobEntry | null;
  drop(id: string): void;
  line(cluster: string): ClusterLine;
  /** Changes after this one were not read. */
  lastChange(): number;
}

export function createBoard(): JobBoard {
  const entries = new Map<string, JobEntry>();
  const live = new Map<string, JobEntry>();
  const lines = new Map<string, ClusterLine>();
  let lastChange = 0;
  const line = (cluster: string): ClusterLine => {
    const made = lines.get(cluster) ?? createLine();
    lines.set(cluster, made);
    return made;
  };
  return {
    get: (id) => entries.get(id),
    live: () => live.values(),
    all: () => entries.values(),
    put: (row, nowMs) => {
      lastChange = Math.max(lastChange, row.change);
      const known = entries.get(row.id);
      if (known !== undefined && known.row.change >= row.change) return null;
      move(line(row.cluster), known?.row ?? null, row, nowMs);
      const entry = known ?? newEntry(row);
      entry.row = row;
      entries.set(row.id, entry);
      if (isLive(row)) live.set(row.id, entry);
      else live.delete(row.id);
      return entry;
    },
    drop: (id) => {
      const entry = entries.get(id);
      if (entry === undefined) return;
      line(entry.row.cluster).leave(entry.row);
      entries.delete(id);
      live.delete(id);
    },
    line,
    lastChange: () => lastChange,
  };
}

const isHeld = ({ releasedAtMs, outcome }: StoredJob): boolean => releasedAtMs === null && outcome === null;
export const isUnderWay = ({ releasedAtMs, outcome }: StoredJob): boolean => releasedAtMs !== null && outcome === null;
const isLive = (row: StoredJob): boolean =>
  isUnderWay(row) || (row.outcome !== null && row.forgottenAtMs === null && (row.attemptAtMs !== null || row.acceptedAtMs !== null));

function move(line: ClusterLine, before: StoredJob | null, now: StoredJob, nowMs: number): void {
  // The owner may be another person now: the old one left.
  if (before !== null && isHeld(before)) line.leave(before);
  if (isHeld(now)) line.wait(now);
  if (isUnderWay(now)) line.begin(now);
  else if (before !== null && isUnderWay(before)) line.end(now, nowMs);
  else if (before === null && now.releasedAtMs !== null) line.recall(now);
}

function newEntry(row: StoredJob): JobEntry {
  return {
    key: keys.job(row.id),
    id: row.id,
    row,
    refused: null,
    attemptEndedAtMs: null,
    token: null,
    outputsMissing: false,
    decision: null,
    inputs: null,
  };
}
