/** Cluster drivers by Cluster document. */
import path from 'node:path';
import type { Cluster } from '../../controller/clusters/cluster.ts';
import { createKubernetesCluster } from '../../controller/clusters/kubernetes.ts';
import { createLocalCluster } from '../../controller/clusters/local.ts';
import { createSlurmCluster } from '../../controller/clusters/slurm.ts';
import { readSecretReference } from '../../controller/desired/secret-reference.ts';
import type { AroundCluster } from '../../controller/context.ts';
import type { Clock } from '../../schema/clock.ts';
import type { ClusterDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';

export interface ClusterParts {
  readonly stateDir: string;
  readonly desiredDir: string;
  readonly clock: Clock;
}

export function createCluster(
  { stateDir, desiredDir, clock }: ClusterParts,
  { metadata: { name }, spec }: ClusterDocument,
  around: AroundCluster,
): Cluster {
  const { scheduler } = spec;
  if ('local' in scheduler) {
    const folder = path.join(stateDir, 'trabalhos', name);
    const { account = null, readable = [] } = scheduler.local;
    return createLocalCluster({ name, folder, hidden: [stateDir, desiredDir], readable, account, clock });
  }
  if ('slurm' in scheduler) {
    const { server, ssh: _, ...wishes } = scheduler.slurm;
    // The host of a server is another one after its document changed.
    const run: Parameters<typeof createSlurmCluster>[0]['run'] = async (account, command) => {
      const host = around.hostOf(server);
      if (host === null) throw new SvcError('CLUSTER_UNREACHABLE', `the server ${server} of the cluster ${name} is not there`);
      return await host.run(account, command);
    };
    return createSlurmCluster({ name, run, jobs: () => around.jobs(), clock, ...wishes });
  }
  const { namespace, kubeconfig, context = null, image = null } = scheduler.kubernetes;
  const text = async (): Promise<string | null> => (kubeconfig === undefined ? null : await readSecretReference(kubeconfig, stateDir));
  return createKubernetesCluster({ name, namespace, kubeconfig: text, context, image, clock });
}
