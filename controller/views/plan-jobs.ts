/** Planned acts on jobs, by the very decisions of the loop. Jobs come from people, not from the folder: only the portal's own plan has them. */
import { decideCluster } from '../../reconcilers/cluster.ts';
import { decideJob, jobMemory } from '../../reconcilers/job.ts';
import { readMemory } from '../../reconcilers/memory.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { clusterDesired, clusterObserved } from '../kinds/cluster.ts';
import { jobDesired, jobObserved } from '../kinds/job.ts';
import type { Context } from '../context.ts';
import { changeOf } from './plan-changes.ts';

export function planJobs(context: Context, nowMs: number): PlanAnswer['changes'] {
  const { entries, recorder } = context;
  const ofClusters = [...entries.clusters.values()].flatMap((entry) => {
    return decideCluster(clusterDesired(entries, entry), clusterObserved(context, entry), null, nowMs).actions;
  });
  const ofJobs = [...entries.jobs.live()].flatMap((entry) => {
    const memory = readMemory(jobMemory, recorder.last(entry.key)?.memory);
    return decideJob(jobDesired(context, entry), jobObserved(context, entry), memory, nowMs).actions;
  });
  return [...ofClusters, ...ofJobs].map(changeOf);
}
