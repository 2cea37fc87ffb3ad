/** `Cluster/<name>`: an engine that runs jobs. It is asked for its jobs while some are under way, and those whose turn it is are let go. */
import {
  clusterMemory,
  decideCluster,
  type ClusterDecision,
  type ClusterDesired,
  type ClusterMemory,
  type ClusterObserved,
} from '../../reconcilers/cluster.ts';
import { listWaitMs, type ClusterEntry } from '../jobs/cluster-entry.ts';
import { capsOf } from '../jobs/policy.ts';
import { jobsPrefix, portalOfJobs } from '../jobs/names.ts';
import { limits } from '../limits.ts';
import { offeredClusters, serverOfCluster } from '../jobs/sync-clusters.ts';
import type { Entries } from '../entries.ts';
import type { Context } from '../context.ts';
import type { Kind } from './kind.ts';

export const clusterKind: Kind<ClusterEntry, ClusterDesired, ClusterObserved, ClusterMemory, ClusterDecision> = {
  name: 'Cluster',
  entries: (entries) => entries.clusters.values(),
  find: (entries, name) => entries.clusters.get(name),
  keyOf: ({ key }) => key,
  lane: ({ name }) => `cluster ${name}`,
  observe,
  desired: ({ entries }, entry) => clusterDesired(entries, entry),
  observed: clusterObserved,
  decide: decideCluster,
  memory: clusterMemory,
  report: (_context, { placed, cluster }, { observed: { waiting, inFlight } }) => ({
    generation: placed.generation,
    details: { isolation: cluster.isolation, waiting, inFlight },
  }),
};

export function clusterDesired(entries: Entries, { name, placed, leaving }: ClusterEntry): ClusterDesired {
  const caps = capsOf(placed.document);
  // A cluster that the portal's queue does not name gets no new jobs.
  const inFlightMax = offeredClusters(entries).includes(name) ? caps.inFlightMax : 0;
  const server = entries.servers.get(serverOfCluster(placed.document) ?? '');
  const drain = server?.drain ?? null;
  return {
    name,
    leaving,
    lost: server?.lost === true,
    drain,
    generation: placed.generation,
    ...caps,
    inFlightMax: drain === null ? inFlightMax : 0,
  };
}

export function clusterObserved({ entries, options }: Context, entry: ClusterEntry): ClusterObserved {
  const { sight, cluster, lastJobs } = entry;
  const line = entries.jobs.line(entry.name);
  const free = clusterDesired(entries, entry).inFlightMax - line.inFlight();
  const strangers = [...lastJobs.keys()].filter((name) => entries.jobs.get(idOf(name)) === undefined).length;
  const status = sight.status;
  const message = status === 'unreachable' ? sight.message : `jobs run confined by ${cluster.isolation}`;
  const nextLookMs = entry.hasLive || line.inFlight() > 0 ? entry.nextListAtMs : null;
  return { status, message, strangers, nextLookMs, ...line.look(free, options.clock.nowMs()) };
}

const idOf = (name: string): string => name.slice(name.lastIndexOf('-') + 1);

/** Asked while something is under way there, and now and then otherwise, since that is what its being reachable rests on. */
function observe(context: Context, entry: ClusterEntry): Promise<boolean> | undefined {
  const nowMs = context.options.clock.nowMs();
  const isAhead = entry.nextListAtMs > nowMs && entry.nextListAtMs - nowMs <= 2 * 60_000;
  return isAhead ? undefined : list(context, entry);
}

async function list(context: Context, entry: ClusterEntry): Promise<boolean> {
  const { options, entries, queue } = context;
  const { clock, store, log } = options;
  const startedAtMs = clock.nowMs();
  entry.listedAtMs = startedAtMs;
  // Acts there during this read may ask for another list (job-acts.ts), since this one does not show their result.
  entry.nextListAtMs = Infinity;
  try {
    const prefix = jobsPrefix(await portalOfJobs(store));
    const jobs = new Map(
      (await entry.cluster.list(prefix, AbortSignal.any([context.ending, AbortSignal.timeout(limits.clusterListMsMax)]))).map((seen) => [
        seen.name,
        seen,
      ]),
    );
    entry.sight = { status: 'reachable', jobs, startedAtMs };
    entry.lastJobs = jobs;
    entry.failures = 0;
  } catch (error) {
    entry.failures += 1;
    entry.sight = { status: 'unreachable', message: (error as Error).message };
    if (entry.failures === 1) log.warn({ cluster: entry.name, error: (error as Error).message }, 'the cluster does not list its jobs');
  }
  entry.nextListAtMs = Math.min(entry.nextListAtMs, clock.nowMs() + listWaitMs(entry.failures, clock.nowMs() - startedAtMs));
  let live = false;
  for (const job of entries.jobs.live()) {
    if (job.row.cluster !== entry.name) continue;
    live = true;
    queue.add(job.key, false);
  }
  entry.hasLive = live;
  return entries.clusters.get(entry.name) === entry;
}
