/**
 * Acts on jobs, on the cluster and in the store. Each step is stored before it is done on the cluster, and its result is looked for by
 * name: a portal that dies between the two loses no job and runs none twice. Decision: docs/decisions/0211-the-queue.md
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import { limits } from '../limits.ts';
import { SvcError } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import type { JobRequest } from '../../schema/jobs.ts';
import { faultPoint } from '../faults.ts';
import type { ClusterJob } from '../clusters/cluster.ts';
import type { JobEntry } from '../jobs/board.ts';
import type { ClusterEntry } from '../jobs/cluster-entry.ts';
import { engineOf } from '../jobs/engine.ts';
import { jobName } from '../jobs/names.ts';
import { guarded, type ExecutorOptions } from './guarded.ts';
import type { JobActOptions } from './job-act-options.ts';
import { reportOutcome } from './outcome.ts';

type JobAction = Extract<Action, { readonly kind: `job/${string}` }>;
type JobExecutors = { readonly [Kind in JobAction['kind']]: (action: ActionOf<Kind>) => Promise<void> };

export function jobExecutors(options: ExecutorOptions): JobExecutors {
  const { queue } = options;
  const { jobs, clock } = queue;
  const written = async (key: string, write: () => Promise<unknown>): Promise<void> => {
    await guarded(options, key, write);
    await guarded(options, key, queue.onJobs);
  };
  return {
    'job/release': ({ cluster, jobs: ids }) =>
      written(keys.cluster(cluster), async () => {
        faultPoint('job/before-release');
        await jobs.releaseJobs(ids, clock.nowMs());
        faultPoint('job/released');
      }),
    'job/submit': ({ job }) => written(keys.job(job), () => submit(queue, job)),
    'job/cancel': async ({ job }) => {
      faultPoint('job/before-cancel');
      await guarded(options, keys.job(job), () => onCluster(queue, job, ({ cluster }, name) => cluster.cancel(name, deadline(queue))));
      faultPoint('job/cancel-sent');
    },
    'job/settle': ({ job, outcome, expiresAtMs }) =>
      written(keys.job(job), async () => {
        faultPoint('job/before-settle');
        const told = await jobs.settleJob(job, outcome, { atMs: clock.nowMs(), expiresAtMs });
        faultPoint('job/settled');
        if (told !== null) options.bus.publish(told, { type: 'avisos' });
      }),
    'job/forget': ({ job }) =>
      written(keys.job(job), async () => {
        faultPoint('job/before-forget');
        await onCluster(queue, job, ({ cluster }, name) => cluster.forget(name, deadline(queue)));
        faultPoint('job/forgotten');
        await jobs.noteForgotten(job, clock.nowMs());
      }),
    'job/drop': async ({ job }) => {
      const failed = await guarded(options, keys.job(job), async () => {
        faultPoint('job/before-drop');
        await jobs.dropJob(job, clock.nowMs());
        faultPoint('job/dropped');
      });
      if (failed === null) queue.onDropped(keys.job(job));
    },
  };
}

const deadline = ({ ending }: JobActOptions): AbortSignal => AbortSignal.any([ending, AbortSignal.timeout(limits.jobSubmitMsMax)]);

/** Does nothing for a cluster that no document names: there is nobody to ask. */
async function onCluster(
  { entries, onChange }: JobActOptions,
  id: string,
  act: (cluster: ClusterEntry, name: string) => Promise<void>,
): Promise<void> {
  const job = entries.jobs.get(id);
  const cluster = job && entries.clusters.get(job.row.cluster);
  if (cluster === undefined || entries.portalOfJobs === null) return;
  await act(cluster, jobName(entries.portalOfJobs, id));
  lookSoon(cluster);
  onChange(cluster.key);
}

/** Brings the next list forward, which shows the result; one list covers all acts since the one before. */
function lookSoon(cluster: ClusterEntry): void {
  cluster.nextListAtMs = Math.min(cluster.nextListAtMs, cluster.listedAtMs + limits.clusterLookMsMin);
}

async function submit(options: JobActOptions, id: string): Promise<void> {
  const { entries, jobs, clock, onChange } = options;
  const entry = entries.jobs.get(id);
  const cluster = entry && entries.clusters.get(entry.row.cluster);
  const request = entry && (await jobs.jobRequest(id));
  if (entry === undefined || cluster === undefined || request === undefined || request === null) return;
  const url = `${await options.portalUrl(cluster.placed.document)}/api/fila/executor`;
  // A single token for all attempts of this run: whichever attempt the cluster took, it opens the same job.
  entry.token ??= randomBytes(32).toString('base64url');
  const job = clusterJob(options, entry, request, { url, token: entry.token });
  entry.attemptEndedAtMs = null;
  faultPoint('job/before-attempt');
  await jobs.noteAttempt(id, clock.nowMs(), {
    tokenHash: createHash('sha256').update(entry.token).digest('hex'),
    engine: engineOf(cluster.placed.document),
  });
  faultPoint('job/attempt-noted');
  try {
    await cluster.cluster.submit(job, deadline(options));
    faultPoint('job/submitted');
    await jobs.acceptJob(id, clock.nowMs());
    faultPoint('job/accepted');
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'REFUSED') throw error;
    entry.refused = error.message;
    reportOutcome(error);
  } finally {
    entry.attemptEndedAtMs = clock.nowMs();
    lookSoon(cluster);
    onChange(cluster.key);
  }
}

function clusterJob(
  { entries }: JobActOptions,
  { row }: JobEntry,
  { imagem, comando, ambiente, limites }: JobRequest,
  report: ClusterJob['report'],
): ClusterJob {
  return {
    name: jobName(entries.portalOfJobs ?? '', row.id),
    account: entries.people.get(row.usuario)?.account ?? null,
    image: imagem,
    command: comando,
    env: ambiente,
    limits: { cpus: limites.cpus, memoryMb: limites.memoriaMb, seconds: limites.segundos, gpus: limites.gpus },
    report,
  };
}
