/** Policies for jobs, by the documents: caps of a cluster, and how long the files of an ended job are kept. */
import { limits } from '../limits.ts';
import type { ClusterDesired } from '../../reconcilers/cluster.ts';
import type { ClusterDocument } from '../../schema/desired/documents.ts';
import type { Entries } from '../entries.ts';

export function capsOf({ spec }: ClusterDocument): Pick<ClusterDesired, 'inFlightMax' | 'perPersonMax' | 'perAppMax'> {
  const inFlightMax = spec.emVoo ?? ('local' in spec.scheduler ? limits.localJobsMax : limits.clusterJobsMax);
  return { inFlightMax, perPersonMax: spec.porPessoa ?? null, perAppMax: spec.porApp ?? null };
}

export function keptMsOf({ portal }: Entries): number {
  const days = portal?.document.spec.fila?.dias;
  return days === undefined ? limits.jobKeptMs : days * 24 * 60 * 60_000;
}
