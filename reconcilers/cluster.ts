/**
 * A cluster that runs jobs: decides which waiting jobs are let go, so that it has work and nobody takes it all. Next is the person with the fewest
 * under way, among equals who used least of late; of that person the app with the fewest; then the oldest job.
 * Decision: docs/decisions/0211-the-queue.md
 */
import type { Condition, Reason } from '../schema/backend.ts';
import { keys } from '../schema/keys.ts';
import type { Action } from './actions.ts';
import { earliest, stampConditions, type ConditionMemory } from './conditions.ts';
import type { Drain } from './backend-types.ts';
import type { Decision } from './decision.ts';
import { fields, remember, since, type MemoryShape } from './memory.ts';

export interface ClusterDesired {
  readonly name: string;
  readonly generation: number;
  /** Its document is gone: nothing new is let go, and what is under way ends as it ends. */
  readonly leaving: boolean;
  /** Its server is drained: nothing new is let go; null or absent: it is not. */
  readonly drain?: Drain | null;
  /** Its server was given up: what is under way there never ends. */
  readonly lost: boolean;
  /** Jobs under way at once, in all, of one person and of one app; null: no cap of its own. */
  readonly inFlightMax: number;
  readonly perPersonMax: number | null;
  readonly perAppMax: number | null;
}

/** Waiting jobs of one person for one app. */
export interface WaitingLine {
  readonly usuario: string;
  readonly app: string;
  /** The oldest first, at least as many as can be let go at once. */
  readonly jobs: readonly { readonly id: string; readonly createdAtMs: number }[];
}

export interface ClusterObserved {
  readonly status: 'reachable' | 'unreachable' | 'unknown';
  readonly message: string;
  readonly waiting: number;
  readonly inFlight: number;
  readonly lines: readonly WaitingLine[];
  /** Under way, by person, by app and by person and app (`<person>/<app>`). */
  readonly running: {
    readonly people: ReadonlyMap<string, number>;
    readonly apps: ReadonlyMap<string, number>;
    readonly both: ReadonlyMap<string, number>;
  };
  /** CPU seconds of late, by person; who is not in it used none. */
  readonly used: ReadonlyMap<string, number>;
  /** Under our names on the cluster and not in the store: left alone. */
  readonly strangers: number;
  /** When it is asked for its jobs again; null: none are under way. */
  readonly nextLookMs: number | null;
}

export interface ClusterMemory {
  readonly since: ConditionMemory;
}
export const clusterMemory: MemoryShape<ClusterMemory> = { version: 1, read: fields<ClusterMemory>({ since }) };

export interface ClusterDecision extends Decision<ClusterMemory> {
  readonly state: 'reachable' | 'unknown' | 'leaving' | 'draining';
}

export function decideCluster(
  desired: ClusterDesired,
  observed: ClusterObserved,
  memory: ClusterMemory | null,
  nowMs: number,
): ClusterDecision {
  const status = statusOf(desired, observed);
  const is: Condition['status'] = observed.status === 'reachable' ? 'True' : 'Unknown';
  const stamped = stampConditions(
    [{ type: 'Reachable', status: is, reason: status.reason, message: status.message }],
    memory?.since,
    desired.generation,
    nowMs,
  );
  return {
    ...status,
    actions: actionsOf(desired, observed),
    conditions: stamped.conditions,
    nextDeadlineMs: earliest(nowMs, [observed.nextLookMs]),
    memory: remember(memory, { since: stamped.memory }),
  };
}

function actionsOf(desired: ClusterDesired, observed: ClusterObserved): readonly Action[] {
  const { name, leaving, lost } = desired;
  if (leaving) return lost || observed.inFlight === 0 ? [{ kind: 'object/forget', key: keys.cluster(name) }] : [];
  if (observed.status !== 'reachable') return [];
  const jobs = turns(desired, observed);
  return jobs.length === 0 ? [] : [{ kind: 'job/release', cluster: name, jobs }];
}

/** Ids of the jobs that are let go now, in the order of their turns. */
export function turns(
  desired: Pick<ClusterDesired, 'inFlightMax' | 'perPersonMax' | 'perAppMax'>,
  observed: ClusterObserved,
): readonly string[] {
  const { inFlightMax, perPersonMax, perAppMax } = desired;
  const { inFlight, lines, running, used } = observed;
  const people = new Map(running.people);
  const apps = new Map(running.apps);
  const both = new Map(running.both);
  const next = new Map<WaitingLine, number>();
  const picked: string[] = [];
  const rank = (line: WaitingLine): readonly number[] => [
    people.get(line.usuario) ?? 0,
    used.get(line.usuario) ?? 0,
    both.get(`${line.usuario}/${line.app}`) ?? 0,
    line.jobs[next.get(line) ?? 0]?.createdAtMs ?? 0,
  ];
  const mayGo = (line: WaitingLine): boolean =>
    (next.get(line) ?? 0) < line.jobs.length &&
    (perPersonMax === null || (people.get(line.usuario) ?? 0) < perPersonMax) &&
    (perAppMax === null || (apps.get(line.app) ?? 0) < perAppMax);
  while (inFlight + picked.length < inFlightMax) {
    const line = least(lines.filter(mayGo), rank);
    const job = line?.jobs[next.get(line) ?? 0];
    if (line === undefined || job === undefined) break;
    picked.push(job.id);
    next.set(line, (next.get(line) ?? 0) + 1);
    for (const [counts, key] of [
      [people, line.usuario],
      [apps, line.app],
      [both, `${line.usuario}/${line.app}`],
    ] as const)
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return picked;
}

function least(lines: readonly WaitingLine[], rank: (line: WaitingLine) => readonly number[]): WaitingLine | undefined {
  let best: WaitingLine | undefined;
  let bestRank: readonly number[] = [];
  for (const line of lines) {
    const own = rank(line);
    if (best !== undefined && !isLess(own, bestRank)) continue;
    best = line;
    bestRank = own;
  }
  return best;
}

function isLess(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}

function statusOf({ leaving, drain }: ClusterDesired, { status, message, strangers }: ClusterObserved) {
  const reasons = { reachable: 'Reachable', unreachable: 'ClusterUnreachable', unknown: 'NotObservedYet' } as const satisfies Record<
    string,
    Reason
  >;
  if (leaving) return { state: 'leaving', reason: 'DocumentRemoved', message: 'jobs that are under way there end first' } as const;
  if (drain != null && status === 'reachable') {
    const said = `${drain.server} is taken out of use: jobs that run there end by themselves, and no other is sent`;
    return { state: 'draining', reason: 'Draining', message: said } as const;
  }
  const known =
    strangers === 0 ? message : `${message}; ${strangers} jobs there have our names and are not known here: they are left alone`;
  return { state: status === 'reachable' ? 'reachable' : 'unknown', reason: reasons[status], message: known } as const;
}
