/** Names the engine of a cluster: jobs are handed to it, and looked for there. */
import { hash } from 'node:crypto';
import type { ClusterDocument } from '../../schema/desired/documents.ts';

/**
 * Identifies the engine that jobs are on. Leaves out settings that may change while the jobs stay where they are (caps, partition, who is
 * charged).
 */
export function engineOf({ spec: { scheduler } }: ClusterDocument): string {
  if ('slurm' in scheduler) return words('slurm', scheduler.slurm.server, scheduler.slurm.conf);
  if ('kubernetes' in scheduler) {
    const { kubeconfig, context, namespace } = scheduler.kubernetes;
    return words('kubernetes', JSON.stringify(kubeconfig ?? null), context, namespace);
  }
  return words('local', scheduler.local.account);
}

/** Hashed: a kubeconfig is nothing to keep. */
const words = (...parts: readonly (string | undefined)[]): string => hash('sha256', JSON.stringify(parts.map((part) => part ?? '')), 'hex');
