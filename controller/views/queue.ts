/** The queue as the api shows it: why it takes no job, its clusters, and the state of a job that was decided last. */
import type { QueueView } from '../../schema/gateway.ts';
import type { QueueOff } from '../../schema/jobs.ts';
import type { ClusterView } from '../../schema/wire/jobs.ts';
import type { Entries } from '../entries.ts';
import { jobName } from '../jobs/names.ts';
import type { JobEntry } from '../jobs/board.ts';
import type { ClusterEntry } from '../jobs/cluster-entry.ts';
import { capsOf } from '../jobs/policy.ts';
import { offeredClusters } from '../jobs/sync-clusters.ts';
import type { Context } from '../context.ts';

const bytesPerMb = 1_000_000;

export function queueView({ entries }: Context): QueueView {
  return {
    off: () => offOf(entries),
    clusters: () => offeredClusters(entries).flatMap((name) => clusterOf(entries, entries.clusters.get(name))),
    cluster: (wanted) => {
      const offered = offeredClusters(entries);
      const name = wanted ?? offered[0];
      const entry = name === undefined || !offered.includes(name) ? undefined : entries.clusters.get(name);
      return entry === undefined ? null : { nome: entry.name, limites: entry.placed.document.spec.limites ?? {} };
    },
    stateOf: (id) => stateOf(entries, entries.jobs.get(id)),
    spaceBytesMax: () => {
      const megabytes = entries.portal?.document.spec.fila?.espacoMb;
      return megabytes === undefined ? null : megabytes * bytesPerMb;
    },
  };
}

function offOf(entries: Entries): QueueOff | null {
  if (entries.portal?.document.spec.fila === undefined) return { codigo: 'DESLIGADA', motivo: 'a fila está desligada neste portal' };
  const offered = offeredClusters(entries).flatMap((name) => entries.clusters.get(name) ?? []);
  if (offered.length === 0) return { codigo: 'SEM_CLUSTER', motivo: 'a fila não tem nenhum cluster' };
  // A cluster that was not read yet takes jobs: they wait.
  if (offered.some(({ sight }) => sight.status !== 'unreachable')) return null;
  return { codigo: 'INALCANCAVEL', motivo: `nenhum cluster da fila responde: ${offered.map(({ name }) => name).join(', ')}` };
}

function clusterOf(entries: Entries, entry: ClusterEntry | undefined): readonly ClusterView[] {
  if (entry === undefined) return [];
  const line = entries.jobs.line(entry.name);
  return [
    {
      nome: entry.name,
      isolamento: entry.cluster.isolation,
      alcancavel: entry.sight.status === 'reachable',
      mensagem: entry.sight.status === 'unreachable' ? entry.sight.message : '',
      emVoo: line.inFlight(),
      emVooMax: capsOf(entry.placed.document).inFlightMax,
      emEspera: line.waiting(),
    },
  ];
}

function stateOf(entries: Entries, job: JobEntry | undefined): ReturnType<QueueView['stateOf']> {
  const decision = job?.decision ?? null;
  const cluster = job && entries.clusters.get(job.row.cluster);
  if (job === undefined || decision === null || job.row.releasedAtMs === null) return held(entries, job, cluster);
  const { state: estado, reason, message } = decision;
  const seen = entries.portalOfJobs === null ? undefined : cluster?.lastJobs.get(jobName(entries.portalOfJobs, job.id));
  return { estado, reason, message, lugar: estado === 'na-fila' ? (seen?.place ?? null) : null };
}

/** Jobs that wait for their turn wait for their cluster too. */
function held(entries: Entries, job: JobEntry | undefined, cluster: ClusterEntry | undefined): ReturnType<QueueView['stateOf']> {
  const estado = 'em-espera' as const;
  if (job === undefined) return { estado, reason: 'JobHeld', message: '', lugar: null };
  const lugar = job.row.releasedAtMs === null ? entries.jobs.line(job.row.cluster).place(job.row) : null;
  if (cluster === undefined)
    return { estado, reason: 'ClusterMissing', message: `no document names the cluster ${job.row.cluster}`, lugar };
  if (cluster.sight.status === 'unreachable') return { estado, reason: 'ClusterUnreachable', message: cluster.sight.message, lugar };
  return { estado, reason: 'JobHeld', message: `waits for its turn on ${cluster.name}`, lugar };
}
