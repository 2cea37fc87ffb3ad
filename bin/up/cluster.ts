/** Cluster drivers by Cluster document. */
import path from 'node:path';
import type { Cluster } from '../../controller/clusters/cluster.ts';
import { createLocalCluster } from '../../controller/clusters/local.ts';
import type { Clock } from '../../schema/clock.ts';
import type { ClusterDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';

export interface ClusterParts {
  readonly stateDir: string;
  readonly clock: Clock;
}

export function createCluster({ stateDir, clock }: ClusterParts, { metadata: { name }, spec: { scheduler } }: ClusterDocument): Cluster {
  if ('local' in scheduler) {
    const folder = path.join(stateDir, 'trabalhos', name);
    return createLocalCluster({ name, folder, hidden: [stateDir], account: scheduler.local.account ?? null, clock });
  }
  throw new SvcError('INTERNAL', `no driver for the cluster ${name}`);
}
