/**
 * The work of a cluster: the jobs that wait for it, in order of age for each person and app, the jobs under way there, and each person's
 * recent use. Kept up to date row by row, so that no pass of the loop goes over the waiting jobs.
 */
import type { StoredJob } from '../../store/jobs.ts';
import type { ClusterObserved, WaitingLine } from '../../reconcilers/cluster.ts';
import { limits } from '../limits.ts';

type Waiting = Pick<StoredJob, 'id' | 'usuario' | 'app' | 'createdAtMs'>;

export interface ClusterLine {
  wait(job: Waiting): void;
  leave(job: Waiting): void;
  /** It is under way from here on. */
  begin(job: StoredJob): void;
  /** It is under way no longer; what it used counts against its person. */
  end(job: StoredJob, nowMs: number): void;
  /** It ended before this run of the portal: what it used counts all the same. */
  recall(job: StoredJob): void;
  readonly waiting: () => number;
  readonly inFlight: () => number;
  /** Inputs of a decision, at most `free` jobs of each line. */
  look(free: number, nowMs: number): Pick<ClusterObserved, 'waiting' | 'inFlight' | 'lines' | 'running' | 'used'>;
  /** Its place among those that wait, 1-based; who waits is let go person by person. */
  place(job: Waiting): number;
}

interface Used {
  cpuSeconds: number;
  atMs: number;
}

export function createLine(): ClusterLine {
  const lines = new Map<string, { readonly usuario: string; readonly app: string; readonly jobs: Waiting[] }>();
  const under = new Map<string, StoredJob>();
  const used = new Map<string, Used>();
  let waiting = 0;
  const keyOf = ({ usuario, app }: Pick<Waiting, 'usuario' | 'app'>): string => `${usuario}/${app}`;
  return {
    wait: (job) => {
      const key = keyOf(job);
      const line = lines.get(key) ?? { usuario: job.usuario, app: job.app, jobs: [] };
      lines.set(key, line);
      line.jobs.splice(indexOf(line.jobs, job), 0, job);
      waiting += 1;
    },
    leave: (job) => {
      const key = keyOf(job);
      const line = lines.get(key);
      const index = line === undefined ? -1 : indexOf(line.jobs, job);
      if (line?.jobs[index]?.id !== job.id) return;
      line.jobs.splice(index, 1);
      waiting -= 1;
      if (line.jobs.length === 0) lines.delete(key);
    },
    begin: (job) => void under.set(job.id, job),
    end: (job, nowMs) => {
      if (!under.delete(job.id)) return;
      charge(used, job, nowMs);
    },
    recall: (job) => charge(used, job, job.outcome?.terminadoEm ?? 0),
    waiting: () => waiting,
    inFlight: () => under.size,
    look: (free, nowMs) => ({
      waiting,
      inFlight: under.size,
      lines:
        free <= 0 ? [] : [...lines.values()].map(({ usuario, app, jobs }): WaitingLine => ({ usuario, app, jobs: jobs.slice(0, free) })),
      running: countsOf(under.values()),
      used: usedOf(used, under.values(), nowMs),
    }),
    place: (job) => placeOf(job, [...lines.values()], countsOf(under.values()).people),
  };
}

const isOlder = (one: Waiting, other: Waiting): boolean =>
  one.createdAtMs < other.createdAtMs || (one.createdAtMs === other.createdAtMs && one.id < other.id);

/** Where it is, or belongs, in a list that is sorted by age. */
function indexOf(jobs: readonly Waiting[], job: Waiting): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = jobs[middle];
    if (other !== undefined && isOlder(other, job)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countsOf(jobs: Iterable<StoredJob>): ClusterObserved['running'] {
  const [people, apps, both] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  for (const { usuario, app } of jobs)
    for (const [counts, key] of [
      [people, usuario],
      [apps, app],
      [both, `${usuario}/${app}`],
    ] as const)
      counts.set(key, (counts.get(key) ?? 0) + 1);
  return { people, apps, both };
}

const decayed = ({ cpuSeconds, atMs }: Used, nowMs: number): number =>
  cpuSeconds * 2 ** (-Math.max(0, nowMs - atMs) / limits.shareHalfLifeMs);

/** How long it had a place there, in CPU seconds. */
function cpuSecondsOf({ cpus, releasedAtMs, outcome }: StoredJob, nowMs: number): number {
  return (cpus * Math.max(0, (outcome?.terminadoEm ?? nowMs) - (releasedAtMs ?? nowMs))) / 1_000;
}

function charge(used: Map<string, Used>, job: StoredJob, nowMs: number): void {
  const before = used.get(job.usuario);
  used.set(job.usuario, { cpuSeconds: (before ? decayed(before, nowMs) : 0) + cpuSecondsOf(job, nowMs), atMs: nowMs });
}

function usedOf(used: ReadonlyMap<string, Used>, under: Iterable<StoredJob>, nowMs: number): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [usuario, each] of used) sums.set(usuario, decayed(each, nowMs));
  for (const job of under) sums.set(job.usuario, (sums.get(job.usuario) ?? 0) + cpuSecondsOf(job, nowMs));
  return sums;
}

/** Its turn comes when its person has as many under way as were let go before it; so many of each other person go before that. */
function placeOf(
  job: Waiting,
  lines: readonly { readonly usuario: string; readonly jobs: readonly Waiting[] }[],
  running: ReadonlyMap<string, number>,
): number {
  const own = lines.filter(({ usuario }) => usuario === job.usuario);
  const before = own.reduce((sum, { jobs }) => sum + indexOf(jobs, job), 0);
  const turn = (running.get(job.usuario) ?? 0) + before;
  const others = new Map<string, (readonly Waiting[])[]>();
  for (const { usuario, jobs } of lines) if (usuario !== job.usuario) others.set(usuario, [...(others.get(usuario) ?? []), jobs]);
  let place = before + 1;
  for (const [usuario, theirs] of others) {
    const first = Math.max(0, turn - (running.get(usuario) ?? 0));
    const count = theirs.reduce((sum, jobs) => sum + jobs.length, 0);
    place += Math.min(count, first);
    // With as many under way, the older one goes first. For several apps, the first waiting job stands for all.
    const equal = turn >= (running.get(usuario) ?? 0) ? (theirs.length === 1 ? theirs[0]?.[first] : theirs[0]?.[0]) : undefined;
    if (equal !== undefined && first < count && isOlder(equal, job)) place += 1;
  }
  return place;
}
