/** `Job/<id>`: a job of the queue. Jobs that only wait are not reconciled: an order, their turn or a deadline wakes them. */
import { decideJob, jobMemory, type JobDecision, type JobDesired, type JobMemory, type JobObserved } from '../../reconcilers/job.ts';
import { limits } from '../limits.ts';
import { engineOf } from '../jobs/engine.ts';
import { isUnderWay, type JobEntry } from '../jobs/board.ts';
import type { ClusterSight } from '../jobs/cluster-entry.ts';
import { jobName } from '../jobs/names.ts';
import { keptMsOf } from '../jobs/policy.ts';
import { pullJobs } from '../observe/pull-jobs.ts';
import type { Context } from '../context.ts';
import type { Kind } from './kind.ts';

export const jobKind: Kind<JobEntry, JobDesired, JobObserved, JobMemory, JobDecision> = {
  name: 'Job',
  entries: (entries) => entries.jobs.live(),
  find: (entries, id) => entries.jobs.get(id),
  keyOf: ({ key }) => key,
  lane: ({ row }) => `jobs ${row.cluster}`,
  observe: (context, entry) => (isToBeCollected(entry) ? seeOutputs(context, entry) : undefined),
  desired: jobDesired,
  observed: jobObserved,
  decide: decideJob,
  memory: jobMemory,
  keep: (entry, { desired, observed, atMs, decision }) => {
    Object.assign(entry, { inputs: { desired, observed, atMs }, decision });
    return decision;
  },
  last: ({ decision }) => decision,
  lastInputs: ({ inputs }) => inputs,
  report: (_context, { row }) => ({
    generation: 0,
    details: {
      usuario: row.usuario,
      app: row.app,
      nome: row.nome,
      cluster: row.cluster,
      chave: row.chave,
      requestId: row.requestId,
      createdAtMs: row.createdAtMs,
      code: row.outcome?.codigo ?? null,
    },
  }),
  notify: ({ options, entries, queue }, { id, row }, _round, { change }) => {
    if (change?.transition !== true) return;
    options.bus.jobChanged({ id, usuario: row.usuario, app: row.app });
    const cluster = entries.clusters.get(row.cluster);
    if (cluster !== undefined && !isUnderWay(row)) queue.add(cluster.key, false);
  },
  refresh: pullJobs,
  onEdge: async (context, key, urgent) => {
    await pullJobs(context);
    context.queue.add(key, urgent);
  },
};

const isToBeCollected = ({ row }: JobEntry): boolean => row.outcome === null && row.report?.estado === 'terminado';

async function seeOutputs({ options, entries }: Context, entry: JobEntry): Promise<boolean> {
  const outputs = await options.store.jobs.outputs(entry.id);
  entry.outputsMissing = outputs.some(({ complete }) => !complete);
  return entries.jobs.get(entry.id) === entry;
}

export function jobDesired({ entries }: Context, { row }: JobEntry): JobDesired {
  const { id, cluster, createdAtMs, attemptAtMs, outcome, expiresAtMs } = row;
  return {
    id,
    cluster,
    createdAtMs,
    released: row.releasedAtMs !== null,
    attemptAtMs,
    accepted: row.acceptedAtMs !== null,
    cancel: row.cancelAtMs !== null,
    outcome,
    forgotten: row.forgottenAtMs !== null,
    expiresAtMs,
    keptMs: keptMsOf(entries),
  };
}

export function jobObserved({ entries }: Context, entry: JobEntry): JobObserved {
  const { row, refused, outputsMissing } = entry;
  const cluster = entries.clusters.get(row.cluster);
  if (cluster !== undefined && row.engine !== null && row.engine !== engineOf(cluster.placed.document)) return elsewhere(entry);
  const sight = cluster?.sight;
  const seen = entries.portalOfJobs === null ? undefined : cluster?.lastJobs.get(jobName(entries.portalOfJobs, row.id));
  return {
    cluster: sight?.status ?? 'missing',
    clusterMessage: sight?.status === 'unreachable' ? sight.message : '',
    listed: sight !== undefined && isListed(sight, entry),
    seen: seen ?? null,
    report: row.report,
    startedAtMs: row.startedAtMs,
    outputsMissing,
    refused,
  };
}

/** The cluster of that name is another engine now, which says nothing of it: what is known of it is what its wrapper says. */
const elsewhere = ({ row, outputsMissing }: JobEntry): JobObserved => ({
  cluster: 'changed',
  clusterMessage: '',
  listed: false,
  seen: null,
  report: row.report,
  startedAtMs: row.startedAtMs,
  outputsMissing,
  refused: null,
});

/** Whether the list was begun when no attempt could be under way any more: what it lacks is not there. */
function isListed(sight: ClusterSight, { row, attemptEndedAtMs }: JobEntry): boolean {
  if (sight.status !== 'reachable') return false;
  if (row.attemptAtMs === null) return true;
  // Without the end of the attempt (the portal died in it), it may have gone on for as long as one may take.
  const endedAtMs = attemptEndedAtMs ?? row.acceptedAtMs ?? row.attemptAtMs + limits.jobSubmitMsMax;
  return sight.startedAtMs > endedAtMs;
}
